import { constants, deflateRawSync } from 'node:zlib'
import { type Channels, pngChunk, pngHeader, pngSignature } from './chunks.ts'
import { type AdlerSums, adlerOf, type FilteredRows, type PackedRuns, RowPacker } from './rows.ts'

/** Pixels to write: straight RGBA, rows top first. */
export type PngPicture = {
  readonly pixels: Buffer
  /** Px. */
  readonly width: number
  readonly height: number
  /** Number of channels; 3 drops the alpha. */
  readonly channels: Channels
}

/** Range of rows: the first one, and the one after the last. */
type Edges = { readonly from: number; readonly to: number }

/**
 * Rows of a picture, compressed independently: the same bytes in any picture that contains them.
 */
type Band = { readonly chunk: Buffer; readonly sums: AdlerSums }

/** Recently written picture. */
type Written = {
  readonly key: string
  readonly pixels: Buffer
  readonly bands: readonly Band[]
}

/** Bands shared with a picture written before; `before` is absent when it shares none. */
type Likeness = { readonly before?: Written; readonly same: readonly (Band | undefined)[] }

const bandRows = 32
/** Most pictures in the cache: very small ones could be millions, each compared with the next. */
const cachedMax = 64

/**
 * Writes PNGs. Pictures of one template differ in a few rows; compressed bands of the others are
 * reused. The same pixels give the same bytes, whatever was written before (decision 0058).
 */
export class PngWriter {
  readonly #cacheMaxBytes: number
  readonly #rows = new RowPacker()
  /** Ordered, the least recently used first. */
  #cached: readonly Written[] = []

  /**
   * Sets up the cache. `cacheMaxBytes`: its pixels in all; a larger picture is compressed whole each
   * time.
   */
  constructor({ cacheMaxBytes }: { cacheMaxBytes: number }) {
    this.#cacheMaxBytes = cacheMaxBytes
  }

  /** Writes a picture. `scope`: only pictures of the same scope are reused. */
  write(picture: PngPicture, scope: string): Buffer<ArrayBuffer> {
    const bands = this.#bandsOf(picture, scope)
    return Buffer.concat([
      ...[pngSignature, pngChunk('IHDR', pngHeader(picture)), streamBegins],
      ...bands.map(({ chunk }) => chunk),
      ...[streamEnds(bands), pngChunk('IEND', Buffer.alloc(0))],
    ])
  }

  #bandsOf(picture: PngPicture, scope: string): readonly Band[] {
    const { pixels, width, height, channels } = picture
    const key = `${scope} ${width}x${height} ${channels}`
    const edges = edgesOf(picture)
    const { before, same } = this.#mostAlike(picture, key, edges)
    const bands = edges.map((each, at) => same[at] ?? this.#compress(picture, each))
    this.#keep({ key, pixels, bands }, before)
    return bands
  }

  /** Caches a picture, in the place and memory of `before` if there is one. */
  #keep({ key, pixels, bands }: Written, before: Written | undefined): void {
    if (pixels.length > this.#cacheMaxBytes) return
    const cached = this.#cached.filter((written) => written !== before)
    const free = before ? [before.pixels] : []
    const bytes = () => cached.reduce((sum, each) => sum + each.pixels.length, pixels.length)
    while (cached.length >= cachedMax || bytes() > this.#cacheMaxBytes) {
      const oldest = cached.shift()
      if (oldest) free.push(oldest.pixels)
    }
    const memory = free.find(({ length }) => length === pixels.length)
    const own = memory ?? Buffer.allocUnsafeSlow(pixels.length)
    own.set(pixels)
    this.#cached = [...cached, { key, pixels: own, bands }]
  }

  /** Returns the picture that shares most bands, and those bands at their positions. */
  #mostAlike(picture: PngPicture, key: string, edges: readonly Edges[]): Likeness {
    let most: Likeness = { same: [] }
    let count = 0
    for (const before of this.#cached.filter((written) => written.key === key)) {
      const same = edges.map((each, at) =>
        isAlike(picture, before.pixels, each) ? before.bands[at] : undefined,
      )
      const shared = same.filter((band) => band !== undefined).length
      if (shared > count) [most, count] = [{ before, same }, shared]
    }
    return most
  }

  #compress(picture: PngPicture, edges: Edges): Band {
    const filtered = this.#rows.filter({ ...picture, ...edges })
    return { chunk: pngChunk('IDAT', deflated(this.#rows, filtered)), sums: filtered.sums }
  }
}

function edgesOf({ height }: PngPicture): Edges[] {
  const count = Math.ceil(height / bandRows)
  return Array.from({ length: count }, (_, at) => ({
    from: at * bandRows,
    to: Math.min(height, (at + 1) * bandRows),
  }))
}

/** Compares a band, and the row above it, which filters use. */
function isAlike({ pixels, width }: PngPicture, before: Buffer, { from, to }: Edges): boolean {
  const start = Math.max(0, from - 1) * width * 4
  const end = to * width * 4
  return pixels.compare(before, start, end, start, end) === 0
}

/** Below this share of bytes outside runs, little is left to save. */
const nothingShare = 1 / 256
/** Above this share of bytes outside runs, it is a photograph or noise. */
const noiseShare = 1 / 2
/**
 * Range of the packed size of a photograph, as a share of its bytes outside runs; it hardly repeats
 * either. Gradients pack smaller; words and drawings, whose runs are short, pack larger.
 */
const photograph = { least: 0.36, most: 0.8 }
/**
 * Share from the middle of anything else that is tried both ways; repeats must save a twentieth.
 */
const triedShare = 1 / 8
const worthwhile = 19 / 20

/**
 * Deflates a band without a last block, so that others may follow
 * (https://www.rfc-editor.org/rfc/rfc1951).
 */
function deflated(rows: RowPacker, { bytes }: FilteredRows): Buffer {
  const runs = rows.packRuns(0, bytes.length)
  if (!mayRepeat(runs, bytes.length)) return runs.packed
  const start = Math.floor((bytes.length * (1 - triedShare)) / 2)
  const end = bytes.length - start
  const someRepeats = packRepeats(bytes.subarray(start, end))
  const someRuns = rows.packRuns(start, end).packed
  return someRepeats.length <= someRuns.length * worthwhile ? packRepeats(bytes) : runs.packed
}

function mayRepeat({ packed, alone }: PackedRuns, length: number): boolean {
  if (packed.length < length * nothingShare || packed.length > length * noiseShare) return false
  return packed.length < alone * photograph.least || packed.length > alone * photograph.most
}

/** Finds all repeats: drawings, words and dithered gradients shrink to a twentieth. */
function packRepeats(bytes: Buffer): Buffer {
  const chunkSize = bytes.length + 1024
  return deflateRawSync(bytes, { level: 4, chunkSize, finishFlush: constants.Z_FULL_FLUSH })
}

/** Head of a zlib stream (RFC 1950): a window of 32 kB, the fastest level. */
const streamBegins = pngChunk('IDAT', Buffer.from([0x78, 0x01]))

/** Returns an empty last block, and the checksum of all uncompressed bytes. */
function streamEnds(bands: readonly Band[]): Buffer {
  const end = Buffer.from([0x03, 0x00, 0, 0, 0, 0])
  end.writeUInt32BE(adlerOf(bands.map(({ sums }) => sums)), 2)
  return pngChunk('IDAT', end)
}
