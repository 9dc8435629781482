package oplog

// Head is the count and the hash of [TailOf].
func Head(doc []byte) (count int, hash string, err error) {
	t, err := TailOf(doc)
	return t.Count, t.Hash, err
}
