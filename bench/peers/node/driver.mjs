// Reads all memories in the first line, then does its job: finds near-duplicates, or
// answers a question to a line.
import readline from 'node:readline'
import MiniSearch from 'minisearch'
import minhash from 'minhash'

const answer = (value) => process.stdout.write(JSON.stringify(value) + '\n')

function duplicates(memories) {
  const started = performance.now()
  const index = new minhash.LshIndex({ bandSize: 4 })
  const hashes = new Map()
  for (const m of memories) {
    const hash = new minhash.Minhash({ numPerm: 128, seed: 1 })
    for (const word of new Set(m.text.toLowerCase().match(/[a-z0-9]+/g))) hash.update(word)
    hashes.set(m.id, hash)
    index.insert(m.id, hash)
  }
  const pairs = []
  for (const [id, hash] of hashes) {
    for (const other of index.query(hash)) {
      if (id < other && hash.jaccard(hashes.get(other)) > 0.8) pairs.push([id, other])
    }
  }
  return { ms: performance.now() - started, pairs }
}

const job = process.argv[2]
let search
for await (const line of readline.createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const question = JSON.parse(line)
  if (job === 'minhash') {
    answer(duplicates(question))
  } else if (!search) {
    search = new MiniSearch({ fields: ['text'], storeFields: ['text'] })
    search.addAll(question)
  } else if (question.save) {
    search.add(question.save)
    answer({})
  } else {
    answer(search.search(question.search).slice(0, 10).map((hit) => hit.id))
  }
}
