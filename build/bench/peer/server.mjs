// The AI SDK's own server: one stream of text deltas per request, as fast as it can. `n` is how many, `size` their bytes.
import { createServer } from 'node:http'
import { createUIMessageStream, pipeUIMessageStreamToResponse } from 'ai'

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url, 'http://peer')
  const n = Number(searchParams.get('n'))
  const pad = 'x'.repeat(Number(searchParams.get('size')))
  const stream = createUIMessageStream({
    execute: async ({ writer }) => {
      writer.write({ type: 'start', messageId: 'm' })
      writer.write({ type: 'text-start', id: 't' })
      for (let i = 0; i < n; i++) {
        writer.write({ type: 'text-delta', id: 't', delta: pad })
        // Letting the socket breathe now and then is its fastest way.
        if (i % 64 === 63) await new Promise((resolve) => setImmediate(resolve))
      }
      writer.write({ type: 'text-end', id: 't' })
      writer.write({ type: 'finish', finishReason: 'stop' })
    },
  })
  pipeUIMessageStreamToResponse({ response, stream })
})

server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`))
