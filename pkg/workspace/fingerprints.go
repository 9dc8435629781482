package workspace

import (
	"path"

	"github.com/memoryd/memoryd/pkg/internal/durable"
	"github.com/memoryd/memoryd/pkg/internal/jsonedit"
	"github.com/memoryd/memoryd/pkg/internal/parallel"
)

// fingerprints computes those of the memories that have none yet and whose bytes are not
// at hand, reading directory by directory, so many at a time as cores and most allow. What can't
// be read is left to [Memory.Fingerprint].
func fingerprints(root durable.FS, most int, ms []*Memory) {
	var batches [][]*Memory // of the files of a directory
	for _, m := range ms {
		if m.KnownFingerprint() != 0 || !m.Whole() || m.body != nil || m.src == nil || m.src.bodies[m.slot].Load() != nil {
			continue
		}
		if n := len(batches); n > 0 && len(batches[n-1]) < batchSize && path.Dir(batches[n-1][0].File) == path.Dir(m.File) {
			batches[n-1] = append(batches[n-1], m)
		} else {
			batches = append(batches, []*Memory{m})
		}
	}
	parallel.Work(min(most, parallel.Cores()), len(batches), func(_, n int) {
		batch := batches[n]
		names := make([]string, len(batch))
		for i, m := range batch {
			names[i] = path.Base(m.File)
		}
		_ = root.ReadFiles(path.Dir(batch[0].File), names, jsonedit.MaxSize, nil, func(i int, data []byte, _ durable.Info, err error) {
			if err != nil {
				return
			}
			if b := bodyOf(batch[i], data); b != nil {
				read := *batch[i]
				read.body = b
				read.Fingerprint()
				batch[i].KnowFingerprint(read.KnownFingerprint())
			}
		})
	})
}
