import test from 'ava'
import { readEvents, type ServerEvent } from '../../client/event-stream.ts'

async function eventsOf(chunks: readonly (string | Uint8Array)[]): Promise<ServerEvent[]> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) {
        controller.enqueue(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk)
      }
      controller.close()
    },
  })
  const events: ServerEvent[] = []
  for await (const event of readEvents(body, { quietMs: 10_000 })) events.push(event)
  return events
}

const text = ': hello\nretry: 2000\n\nid: 1\nevent: job\ndata: {"a":\ndata:"é"}\n\ndata: last\n\n'
const expected = [
  { id: '1', event: 'job', data: '{"a":\n"é"}' },
  { id: '1', event: 'message', data: 'last' },
]

test('events are the same wherever the stream is cut, however lines end', async (t) => {
  for (const end of ['\n', '\r\n', '\r']) {
    const bytes = new TextEncoder().encode(text.replaceAll('\n', end))
    t.deepEqual(await eventsOf([bytes]), expected)
    t.deepEqual(await eventsOf(Array.from(bytes, (byte) => Uint8Array.of(byte))), expected)
  }
})

test('an event that is not finished is none', async (t) => {
  t.deepEqual(await eventsOf(['id: 1\ndata: x\n']), [])
  t.deepEqual(await eventsOf([]), [])
})

test('a stream that brings nothing is given up and closed', async (t) => {
  let isClosed = false
  const body = new ReadableStream<Uint8Array>({
    cancel() {
      isClosed = true
    },
  })
  await t.throwsAsync(readEvents(body, { quietMs: 20 }).next(), { message: /nothing for 20 ms/ })
  t.true(isClosed)
})

test('an event without an end does not fill the memory', async (t) => {
  await t.throwsAsync(eventsOf(['data: ', 'x'.repeat(2_000_000)]), { message: /at most 1000000/ })
})
