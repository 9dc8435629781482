// Package provider asks language models over HTTP. It knows nothing of memories: a request is instructions, a text and a JSON
// Schema, an answer is one JSON object.
//
// # Concept
//
// An [Endpoint] is one model at one address, in one of three wire formats: OpenAI's chat/completions, Anthropic's messages and
// Ollama's /api/chat. A [Chain] tries endpoints in order. The next one is asked when one can't be reached, refuses the key, is busy,
// takes too long or twice gives no object. A refusal, an answer that was cut off and a text that doesn't fit are final: they are
// about the request.
//
// A [Ledger] counts tokens. They are reserved before a request is sent and settled afterwards, from what the server reports before
// anything else of its answer is read. A reservation that a crash left open stays spent.
//
// # Guarantees
//
// An answer is the object that the model wrote, whole and with the code that stands at the head of the prompt: a server that cut the
// prompt there is found out. The same request is not sent twice, but for one repetition per endpoint, after Retry-After or an answer
// that is not an object. A request that must stay on this machine is sent to local endpoints only, and no redirect is followed. Keys
// and texts stand in no error and no receipt. Nothing panics, whatever a server sends.
//
// # Limits
//
// Answers are not streamed. An endpoint that fails often is left alone by this process only. What a server cuts from the middle of a
// prompt is not noticed. Where a server reports no usage, tokens are estimated, and the receipt says so.
package provider
