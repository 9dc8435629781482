// Package tokens tells how many tokens of a language model a text is.
//
// Which model will read a text isn't known, and the encoders of some are not public. So
// one of today that is, o200k_base, is counted exactly; see package bpe. An estimate is
// 5 % more than that.
//
// Guarantees: a count is what o200k_base makes of the text as it stands, without special
// tokens. An estimate is never below, and never more than 5 % and one token above. Both
// depend on the text alone, and are 0 for the empty text only.
//
// Limits: other models have other encoders. Of English prose, code and JSON, cl100k_base
// makes between 0.9 and 1.05 times as many tokens as o200k_base, so that estimates mostly
// hold for it, too; of Chinese, Japanese and Korean 1.1 to 1.7 times as many, of Russian
// 1.5 times. Claude's encoders of today are not public; one of 2023 makes 1.05 to 1.3
// times as many of English and code. Who has to be safe there gives a smaller budget.
//
// The vocabulary is the one that OpenAI publishes with tiktoken under the MIT licence.
// Here are hashes of its tokens, in the order of merges, that tools/tokens makes.
package tokens
