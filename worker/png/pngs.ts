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

/** What the thread is asked: pixels come there as plain bytes, in memory that both see. */
export type PngRequest = { readonly picture: PngPicture; readonly accountId: string }

/** `threads`: so many pictures at once. Where one is enough the others do not start, and more is as it was before. */
export function createPngs(threads: number): Pngs {
  const program = new URL('writer.thread.ts', import.meta.url)
  const memories = new SharedMemories(threads)
  const all = Array.from({ length: threads }, () => ({
    ...createSideThread<PngRequest, Uint8Array>(program),
    asked: 0,
  }))
  return {
    async write(picture, accountId) {
      const thread = all.reduce((least, each) => (each.asked < least.asked ? each : least))
      const memory = memories.take(picture.pixels.length)
      thread.asked += 1
      try {
        const pixels = Buffer.from(memory, 0, picture.pixels.length)
        pixels.set(picture.pixels)
        const png = await thread.ask({ picture: { ...picture, pixels }, accountId })
        return Buffer.from(png.buffer, png.byteOffset, png.byteLength)
      } finally {
        memories.give(memory)
        thread.asked -= 1
      }
    },
    close: async () => {
      await Promise.all(all.map(({ close }) => close()))
    },
  }
}

/** Two stills of 1080p: what is larger comes seldom, and would be kept by the small ones that use it. */
const keptBytesMost = 16 * 2 ** 20

/**
 * Memory in which pixels go to a thread. A message that holds them is copied twice, each time into fresh megabytes,
 * which have to be cleared and make the collectors of both sides look through their heaps.
 */
class SharedMemories {
  readonly #keptMost: number
  /** The least recently used first. */
  #free: readonly SharedArrayBuffer[] = []

  constructor(keptMost: number) {
    this.#keptMost = keptMost
  }

  take(bytes: number): SharedArrayBuffer {
    const taken = this.#free.findLast(({ byteLength }) => byteLength >= bytes)
    this.#free = this.#free.filter((each) => each !== taken)
    return taken ?? new SharedArrayBuffer(bytes)
  }

  give(memory: SharedArrayBuffer): void {
    if (memory.byteLength > keptBytesMost) return
    this.#free = [...this.#free, memory].slice(-this.#keptMost)
  }
}
