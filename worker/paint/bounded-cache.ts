import type { Bitmap } from './canvas.ts'

const bytesPerPixel = 4

/**
 * Bitmaps by key, the least recently used dropped first once they hold more than `limitBytes`
 * together. What is in it must follow from the key alone: it changes how long painting takes, never
 * what is painted.
 */
export class BitmapCache {
  readonly #limitBytes: number
  readonly #bitmaps = new Map<string, Bitmap>()
  #bytes = 0

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  get(key: string): Bitmap | undefined {
    const bitmap = this.#bitmaps.get(key)
    if (bitmap) {
      this.#bitmaps.delete(key)
      this.#bitmaps.set(key, bitmap)
    }
    return bitmap
  }

  /** Keeps `bitmap`, also when it is larger than the limit on its own: then it is the only one. */
  set(key: string, bitmap: Bitmap): Bitmap {
    this.#drop(key)
    this.#bitmaps.set(key, bitmap)
    this.#bytes += bytesOf(bitmap)
    for (const oldest of this.#bitmaps.keys()) {
      if (this.#bytes <= this.#limitBytes || oldest === key) break
      this.#drop(oldest)
    }
    return bitmap
  }

  getOrMake(key: string, make: () => Bitmap): Bitmap {
    return this.get(key) ?? this.set(key, make())
  }

  #drop(key: string): void {
    const bitmap = this.#bitmaps.get(key)
    if (!bitmap) return
    this.#bitmaps.delete(key)
    this.#bytes -= bytesOf(bitmap)
  }
}

function bytesOf({ width, height }: Bitmap): number {
  return width * height * bytesPerPixel
}
