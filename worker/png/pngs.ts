import { createSideThread } from '../side-thread.ts'
import type { PngPicture } from './writer.ts'

/** Writes PNGs on a thread of its own. */
export type Pngs = {
  /**
   * `accountId`: what its stills have in common is compressed once, and with no other's.
   * @throws FarmError `internal`
   */
  write: (picture: PngPicture, accountId: string) => Promise<Buffer>
  close: () => Promise<void>
}

/** What the thread is asked: pixels come there as plain bytes. */
export type PngRequest = { readonly picture: PngPicture; readonly accountId: string }

export function createPngs(): Pngs {
  const program = new URL('writer.thread.ts', import.meta.url)
  const { ask, close } = createSideThread<PngRequest, Uint8Array>(program)
  return {
    async write(picture, accountId) {
      const png = await ask({ picture, accountId })
      return Buffer.from(png.buffer, png.byteOffset, png.byteLength)
    },
    close,
  }
}
