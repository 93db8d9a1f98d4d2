import type { Bitmap } from './canvas.ts'

const bytesPerPixel = 4

type Held = { readonly bitmaps: Map<string, Bitmap>; bytes: number }

/**
 * Cache of bitmaps by key. It drops the least recently used first, once they hold more than
 * `limitBytes` together. An entry must follow from its key alone: the cache changes how long
 * painting takes, never its result.
 */
export class BitmapCache {
  readonly #limitBytes: number
  readonly #held: Held
  readonly #prefix: string

  constructor(limitBytes: number, { held, prefix }: { held: Held; prefix: string } = empty()) {
    this.#limitBytes = limitBytes
    this.#held = held
    this.#prefix = prefix
  }

  /**
   * Returns a view of the cache under the same limit with a namespace of its own: it finds only
   * bitmaps that were put there.
   */
  within(scope: string): BitmapCache {
    const prefix = `${this.#prefix}${scope} `
    return new BitmapCache(this.#limitBytes, { held: this.#held, prefix })
  }

  get(key: string): Bitmap | undefined {
    const { bitmaps } = this.#held
    const bitmap = bitmaps.get(this.#prefix + key)
    if (bitmap) {
      bitmaps.delete(this.#prefix + key)
      bitmaps.set(this.#prefix + key, bitmap)
    }
    return bitmap
  }

  /** Caches `bitmap`; one that exceeds the limit alone is then the only one. */
  set(key: string, bitmap: Bitmap): Bitmap {
    const { bitmaps } = this.#held
    const name = this.#prefix + key
    this.#drop(name)
    bitmaps.set(name, bitmap)
    this.#held.bytes += bytesOf(bitmap)
    for (const oldest of bitmaps.keys()) {
      if (this.#held.bytes <= this.#limitBytes || oldest === name) break
      this.#drop(oldest)
    }
    return bitmap
  }

  getOrMake(key: string, make: () => Bitmap): Bitmap {
    return this.get(key) ?? this.set(key, make())
  }

  clear(): void {
    this.#held.bitmaps.clear()
    this.#held.bytes = 0
  }

  #drop(name: string): void {
    const bitmap = this.#held.bitmaps.get(name)
    if (!bitmap) return
    this.#held.bitmaps.delete(name)
    this.#held.bytes -= bytesOf(bitmap)
  }
}

const empty = () => ({ held: { bitmaps: new Map<string, Bitmap>(), bytes: 0 }, prefix: '' })

function bytesOf({ width, height }: Bitmap): number {
  return width * height * bytesPerPixel
}
