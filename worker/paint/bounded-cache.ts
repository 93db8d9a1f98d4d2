import type { Bitmap } from './canvas.ts'

const bytesPerPixel = 4

type Held = { readonly bitmaps: Map<string, Bitmap>; bytes: number }

/**
 * Bitmaps by key, the least recently used dropped first once they hold more than `limitBytes`
 * together. What is in it must follow from the key alone: it changes how long painting takes, never
 * what is painted.
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

  /** The same cache, under the same limit, with keys of its own: what is found there was put there. */
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

  /** Keeps `bitmap`, also when it is larger than the limit on its own: then it is the only one. */
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
