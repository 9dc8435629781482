package similarity

import "strings"

// negators turn a statement into its opposite. English, and the plain negations of some other languages that are no
// English words.
var negators = set(`not no never without neither non
	nicht kein keine keinen keinem keiner nie niemals ohne
	pas jamais sans nunca jamás não nem senza
	不 没 沒 未 非 无 無`)

// opposites maps a word to those that state the contrary.
var opposites = func() map[string][]string {
	m := map[string][]string{}
	add := func(a, b string) {
		m[a] = append(m[a], b)
		m[b] = append(m[b], a)
	}
	for _, pair := range strings.Fields(`enable/disable activate/deactivate allow/deny allow/forbid allow/block allow/prevent
		permit/forbid permit/prohibit accept/reject accept/refuse approve/reject grant/revoke grant/deny confirm/deny
		include/exclude add/remove increase/decrease raise/lower start/stop open/close lock/unlock attach/detach
		connect/disconnect install/uninstall mount/unmount upgrade/downgrade import/export encode/decode encrypt/decrypt
		push/pull show/hide succeed/fail pass/fail gain/lose win/lose rise/fall buy/sell keep/drop agree/disagree support/oppose`) {
		a, b, _ := strings.Cut(pair, "/")
		x, y := inflect(a), inflect(b)
		for i := range x {
			add(x[i], y[i])
		}
	}
	for _, pair := range strings.Fields(`true/false on/off yes/no all/none some/none always/sometimes everything/nothing
		something/nothing everyone/nobody everybody/nobody someone/nobody somebody/nobody success/failure allowed/forbidden
		won/lost rose/fell bought/sold shown/hidden up/down in/out inside/outside before/after above/below over/under
		more/less more/fewer most/least minimum/maximum min/max greater/less greater/smaller larger/smaller higher/lower
		high/low public/private required/optional mandatory/optional internal/external local/remote online/offline
		inbound/outbound ingress/egress input/output open/closed present/absent next/previous old/new left/right top/bottom
		positive/negative manual/automatic synchronous/asynchronous sync/async temporary/permanent early/late earlier/later
		fast/slow faster/slower big/small large/small long/short tall/short near/far hot/cold full/empty wet/dry clean/dirty
		hard/soft strong/weak rich/poor good/bad better/worse best/worst easy/difficult easy/hard cheap/expensive wide/narrow
		thick/thin heavy/light dark/light same/different simple/complex win/loss profit/loss alive/dead male/female man/woman
		men/women ✓/✗ ✔/✘ ✅/❌ 👍/👎 ==/!= ===/!== </> <=/>= ≤/≥ </>= >/<=`) {
		a, b, _ := strings.Cut(pair, "/")
		add(a, b)
	}
	return m
}()

// inflect lists a regular verb's base, -s, -ed and -ing forms.
func inflect(verb string) []string {
	stem, third := strings.TrimSuffix(verb, "e"), verb+"s"
	switch {
	case hasSuffix(verb, "y"):
		y := strings.TrimSuffix(verb, "y")
		return []string{verb, y + "ies", y + "ied", verb + "ing"}
	case hasSuffix(verb, "ss", "sh", "ch"):
		third = verb + "es"
	case doubling[verb]:
		stem += verb[len(verb)-1:]
	}
	return []string{verb, third, stem + "ed", stem + "ing"}
}

// doubling are the verbs above that double their last letter.
var doubling = set("stop permit forbid drop win")

// prefixed lists the forms of word with and without a negative prefix; callers look which of them the other text has.
func prefixed(word string) []string {
	out := []string{"un" + word, "dis" + word, "non" + word, "in" + word, "im" + word, "il" + word, "ir" + word}
	for _, p := range []string{"un", "dis", "non", "in", "im", "il", "ir"} {
		if stem, ok := strings.CutPrefix(word, p); ok {
			out = append(out, stem)
		}
	}
	return out
}

// negates reports whether one word is the other with a negative prefix.
func negates(long, short string) bool {
	if len(long) < len(short) {
		long, short = short, long
	}
	prefix, ok := strings.CutSuffix(long, short)
	if !ok {
		return false
	}
	switch prefix {
	case "un":
		return len(short) > 3
	case "non":
		return len(short) > 2
	case "dis":
		return len(short) > 3 && !hasPrefix(short, "able", "play", "cover", "patch", "card", "pose", "miss", "count", "course",
			"solve", "charge", "close", "till", "pense")
	case "in", "im", "il", "ir":
		// Only before adjectives: input is not the contrary of put.
		return len(short) > 4 && hasSuffix(short, "ble", "bly", "ent", "ently", "ency", "ant", "ance", "ate", "ately", "ete", "ect",
			"ectly", "id", "ive", "ively", "ure", "urely", "al", "ally", "ite", "act", "er", "ar", "tely", "ity", "icit")
	}
	return false
}

func hasPrefix(s string, prefixes ...string) bool {
	for _, p := range prefixes {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

func hasSuffix(s string, suffixes ...string) bool {
	for _, x := range suffixes {
		if strings.HasSuffix(s, x) {
			return true
		}
	}
	return false
}

// set makes a set of the words in a string.
func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}
