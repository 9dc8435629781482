// Command memeval runs the judgements of memoryd over files of your own and prints
// what they say, one line to a row, so that they can be held against labels.
//
//	memeval neardup pairs.jsonl                 merge, review or keep apart?
//	memeval neardup --calibrate pairs.jsonl     which threshold suits these pairs?
//	memeval temporal items.jsonl                which time does an expression mean?
//	memeval summarise docs.jsonl.gz             what stays of a long text?
//	memeval supersession pairs.jsonl            does the newer text update the older?
//	memeval recall memories.jsonl questions.jsonl    which memories answer a question?
//	memeval current memories.jsonl questions.jsonl   which value holds now?
//
// A task reads files of JSON lines, compressed with gzip or not, "-" being the
// standard input, and calls the same functions of the library as the program
// memory: there is nothing here that judges by itself. "memeval help TASK" tells
// what a row holds; docs/evaluation.md shows how to label a set and to calibrate.
//
// Guarantees: rows are answered in their order, each before the next is read, so
// that input of any length needs the memory of its longest row; but memories to
// recall from are kept in an index, texts and all. The same rows give
// the same bytes. A row that can't be answered ends the run with an error that
// names the file and the line; what was printed until then stands. The exit code
// is 0 when all rows were answered, 1 when one was not, 2 for a wrong command line.
//
// Limits: a row is at most 64 MiB. Nothing is scored but thresholds (--calibrate):
// the formats are those that scoring scripts read.
package main
