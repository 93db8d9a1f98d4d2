export type JobEvent = { readonly id: string; readonly job: Record<string, unknown> }

/** Yields a job's events from a stream, as an EventSource would see them. */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<JobEvent> {
  let text = ''
  for await (const part of body.pipeThrough(new TextDecoderStream())) {
    text += part
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const lines = text.slice(0, end).split('\n')
      text = text.slice(end + 2)
      const field = (name: string) =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
      const data = field('data')
      if (data !== undefined) yield { id: field('id') ?? '', job: JSON.parse(data) }
    }
  }
}
