import { createSideThread } from '../process/side-thread.ts'
import type { PngPicture } from './writer.ts'

/** Writes PNGs on threads of their own. */
export type Pngs = {
  /**
   * Writes a PNG. `accountId`: rows shared by the account's stills are compressed once; accounts
   * share nothing.
   * @throws FarmError `internal`
   */
  write: (picture: PngPicture, accountId: string) => Promise<Buffer>
  close: () => Promise<void>
}

/** Request to a thread: pixels are passed as plain bytes in shared memory. */
export type PngRequest = { readonly picture: PngPicture; readonly accountId: string }

/**
 * Creates the writers. `threads`: pictures written at once. Threads start only on demand, so one
 * picture at a time uses a single thread.
 */
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

/** Two stills of 1080p: larger pictures are rare, and small ones would keep their memory alive. */
const cacheMaxBytes = 16 * 2 ** 20

/**
 * Pool of shared memory that carries pixels to a thread. A message would copy them twice, each time
 * into fresh megabytes, which have to be cleared and make both collectors scan their heaps.
 */
class SharedMemories {
  readonly #freeMax: number
  /** Ordered, the least recently used first. */
  #free: readonly SharedArrayBuffer[] = []

  constructor(freeMax: number) {
    this.#freeMax = freeMax
  }

  take(bytes: number): SharedArrayBuffer {
    const taken = this.#free.findLast(({ byteLength }) => byteLength >= bytes)
    this.#free = this.#free.filter((each) => each !== taken)
    return taken ?? new SharedArrayBuffer(bytes)
  }

  give(memory: SharedArrayBuffer): void {
    if (memory.byteLength > cacheMaxBytes) return
    this.#free = [...this.#free, memory].slice(-this.#freeMax)
  }
}
