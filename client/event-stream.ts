/** A server-sent event. `id`: its own, or that of the last event that had one. */
export type ServerEvent = { readonly id: string; readonly event: string; readonly data: string }

/** Larger than any event of a farm; bounds the memory that another kind of stream could fill. */
const maxEventChars = 1_000_000

/**
 * Yields the events of a stream, by https://html.spec.whatwg.org/multipage/server-sent-events.html;
 * an unfinished event at its end is dropped.
 * @throws when the stream breaks, or brings nothing for `quietMs`, not even a comment
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  { quietMs }: { quietMs: number },
): AsyncGenerator<ServerEvent> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let endedWithCr = false
  let id = ''
  let event = ''
  let data: string[] = []
  try {
    for (;;) {
      const { done, value } = await within(quietMs, reader.read())
      if (done) return
      const chunk = decoder.decode(value, { stream: true })
      if (chunk === '') continue
      // Second half of a \r\n whose first half has already ended its line.
      const rest = endedWithCr && chunk.startsWith('\n') ? chunk.slice(1) : chunk
      endedWithCr = chunk.endsWith('\r')
      const lines = (text + rest).split(/\r\n|\n|\r/)
      text = lines.pop() ?? ''
      for (const line of lines) {
        const [name = '', content = ''] = fieldOf(line)
        if (name === 'id') id = content
        else if (name === 'event') event = content
        else if (name === 'data') data.push(content)
        else if (line === '') {
          if (data.length > 0) yield { id, event: event || 'message', data: data.join('\n') }
          event = ''
          data = []
        }
      }
      if (text.length + data.join().length > maxEventChars) {
        throw new Error(`an event must have at most ${maxEventChars} characters`)
      }
    }
  } finally {
    // A broken stream cannot be cancelled, so a failure is ignored.
    await reader.cancel().catch(() => undefined)
  }
}

/** Returns name and value; a comment has no name. */
function fieldOf(line: string): [string, string] {
  const at = line.indexOf(':')
  if (at < 0) return [line, '']
  return [line.slice(0, at), line.slice(at + 1).replace(/^ /, '')]
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const quiet = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the stream brought nothing for ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([promise, quiet])
  } finally {
    clearTimeout(timer)
  }
}
