// Command memeval runs the judgements of memoryd over your own files and prints the
// answers, one line per row, so that you can compare them with labels.
//
//	memeval neardup pairs.jsonl                 merge, review or keep apart?
//	memeval neardup --calibrate pairs.jsonl     which threshold suits these pairs?
//	memeval temporal items.jsonl                which time does an expression mean?
//	memeval summarise docs.jsonl.gz             which sentences of a long text are kept?
//	memeval supersession pairs.jsonl            does the newer text update the older one?
//	memeval recall memories.jsonl questions.jsonl    which memories answer a question?
//	memeval candidates pairs.jsonl              which pairs would be put to a model?
//	memeval wording pairs.jsonl                 does a merge or a save lose a sentence?
//	memeval current memories.jsonl questions.jsonl   which value holds now?
//
// A task reads files of JSON Lines, compressed with gzip or not; "-" is the standard
// input. It calls the same library functions as the program memory and judges nothing by
// itself. "memeval help TASK" describes the fields of a row. docs/evaluation.md shows how
// to label a set and to calibrate.
//
// Guarantees: rows are answered in their order, each before the next one is read. Memory
// use depends on the longest row, except that recall and current keep all memories in an
// index. The same rows give the same bytes. A row that can't be answered ends the run with
// an error that names the file and the line; earlier answers have been printed. The exit
// code is 0 if all rows were answered, 1 if one was not, 2 for a wrong command line.
//
// Limits: a row is at most 64 MiB. Nothing is scored except thresholds (--calibrate), candidates,
// wording and recall --score. The
// formats are those that scoring scripts read.
package main
