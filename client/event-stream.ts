/** A server-sent event. `id`: of this one, or the last that had one. */
export type ServerEvent = { readonly id: string; readonly event: string; readonly data: string }

/** More than any event of a farm has; a stream of something else would fill the memory. */
const maxEventChars = 1_000_000

/**
 * The events of a stream, as https://html.spec.whatwg.org/multipage/server-sent-events.html has it;
 * an unfinished one at its end is none.
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
      // The second half of a \r\n whose first has ended its line already.
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
    // Also of a stream that has broken: that it cannot be cancelled is no news.
    await reader.cancel().catch(() => undefined)
  }
}

/** Name and value; a comment has no name. */
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
