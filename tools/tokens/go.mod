module github.com/memoryd/memoryd/tools/tokens

go 1.26.5

require (
	github.com/memoryd/memoryd v0.0.0
	github.com/tiktoken-go/tokenizer v0.10.0
)

require github.com/dlclark/regexp2/v2 v2.5.1 // indirect

replace github.com/memoryd/memoryd => ../..
