import type { PreviewRequest } from './api-types.ts'
import type { Caller, Reply } from './caller.ts'
import { endingInTime, type WaitOptions } from './jobs.ts'
import { sleep } from './retry.ts'

type Route = 'POST /api/render/preview'
type Sheet = Reply<Route>

/** Frames of a film, or a still, on one JPEG: its bytes, and what is where on it. */
export type Preview = Omit<Sheet, 'image' | 'status'> & { readonly image: Uint8Array }

/** The service answers within 50 seconds; the rest is for the way. */
const attemptMs = 65_000

/** Methods that show a film before it is rendered. */
export function previewMethods(caller: Caller) {
  return {
    /**
     * Paints frames of a film, small, on one sheet. It costs nothing. Waits until the sheet is there,
     * which takes long when large media are fetched first; the render that follows finds them.
     */
    async preview(
      request: PreviewRequest,
      options: Omit<WaitOptions<never>, 'onProgress'> = {},
    ): Promise<Preview> {
      const calling = endingInTime(options)
      const sent = { ...calling, body: { ...request, inline: true }, attemptMs }
      for (;;) {
        const reply = await caller.fetch('POST /api/render/preview' satisfies Route, sent, read)
        if ('sheet' in reply) {
          const { image, status: _, ...facts } = reply.sheet
          return { ...facts, image: bytesOf(image ?? '') }
        }
        await sleep(reply.againMs, calling.signal)
      }
    },
  }
}

const usualAgainMs = 2_000

async function read(response: Response): Promise<{ sheet: Sheet } | { againMs: number }> {
  const body: unknown = await response.json()
  if (response.status !== 202) return { sheet: body as Sheet }
  const { retryAfterSeconds } = body as { retryAfterSeconds?: number }
  return { againMs: Number(retryAfterSeconds) * 1000 || usualAgainMs }
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
}
