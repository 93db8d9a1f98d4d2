import { createSideThread } from '../side-thread.ts'
import type { PngPicture } from './writer.ts'

/** Writes PNGs on threads of their own. */
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

/** `threads`: so many pictures at once. Where one is enough the others do not start, and more is as it was before. */
export function createPngs(threads: number): Pngs {
  const program = new URL('writer.thread.ts', import.meta.url)
  const all = Array.from({ length: threads }, () => ({
    ...createSideThread<PngRequest, Uint8Array>(program),
    asked: 0,
  }))
  return {
    async write(picture, accountId) {
      const thread = all.reduce((least, each) => (each.asked < least.asked ? each : least))
      thread.asked += 1
      try {
        const png = await thread.ask({ picture, accountId })
        return Buffer.from(png.buffer, png.byteOffset, png.byteLength)
      } finally {
        thread.asked -= 1
      }
    },
    close: async () => {
      await Promise.all(all.map(({ close }) => close()))
    },
  }
}
