import { readFileSync } from 'node:fs'
import type { Rect } from '../../../core/timeline/rect.ts'
import type { Bitmap } from '../canvas.ts'
import {
  type Axis,
  columnBlockBytes,
  neighbouringColumns,
  neighbouringRows,
  rowEntryBytes,
} from './neighbours.ts'

/**
 * Exports of `assembly/layers.ts`; all arguments are numbers, addresses and lengths in its memory.
 */
type Program = Readonly<
  Record<'scale' | 'over' | 'mix' | 'separate' | 'convertRows', (...numbers: number[]) => void>
>

/** Picture to draw on: the film's, or another that is then mixed into it. */
export type Target = 'film' | 'mixed'

type Drawn = Pick<Axis, 'source' | 'dest'>

/** Step that builds a frame; steps run in order. Weights are of 255. */
export type Step =
  /** Lengths of both axes are in px. */
  | {
      readonly op: 'scale'
      readonly photo: Bitmap
      readonly across: Drawn
      readonly down: Drawn
      readonly weight: number
      readonly to: Target
    }
  /**
   * Layer of premultiplied `rgba` of the area's size; the area's left and width are multiples of
   * 32, all is even.
   */
  | { readonly op: 'over'; readonly rgba: Buffer; readonly area: Rect; readonly to: Target }
  | { readonly op: 'mix'; readonly weight: number }

type Scaled = Step & { readonly op: 'scale' }

/**
 * Addresses of a picture's planes Y, U, V, and the length of a row of Y; a row of U or V is half as
 * long.
 */
type Planes = { readonly at: readonly [number, number, number]; readonly pitch: number }

const pageBytes = 65_536
/** The compiler uses the memory below. */
const firstByte = 1_024
/** Rows of a photograph that are converted to planes at a time. Even. */
const stripRows = 16
const rowMaxPx = 16_384
/** Whole vectors are read beyond the used bytes. */
const behindBytes = 64

const program = new WebAssembly.Module(readFileSync(new URL('layers.wasm', import.meta.url)))

/** Photographs and the composed frames as planar YUV 4:2:0, in one memory of WebAssembly. */
export class LayerMemory {
  readonly #width: number
  readonly #height: number
  readonly #photosMaxBytes: number
  readonly #memory: WebAssembly.Memory
  readonly #program: Program
  readonly #films: readonly [Planes, Planes]
  readonly #mixed: Planes
  /** Lowest photograph of the last frame and, once it has come twice, its scaled copy. */
  readonly #standing: Planes
  #lowest: Scaled | undefined
  #isStanding = false
  readonly #packed: readonly [number, number]
  readonly #columns: number
  readonly #rows: number
  readonly #spare: number
  readonly #rgba: number
  readonly #aboves: readonly { readonly at: number; rgba?: Buffer }[]
  readonly #photosFrom: number
  #photosTo: number
  #photos = new Map<Bitmap, Planes>()
  #turn = 0

  /**
   * Allocates for a frame's even size, a limit of the photographs' bytes, and the most layers above
   * them in a frame.
   */
  constructor({
    width,
    height,
    photosMaxBytes,
    aboves,
  }: {
    width: number
    height: number
    photosMaxBytes: number
    aboves: number
  }) {
    this.#width = width
    this.#height = height
    this.#photosMaxBytes = photosMaxBytes
    const take = roomFrom(firstByte)
    const pitch = Math.ceil(width / 32) * 32
    const frame = () => planesAt(take(planesBytes(pitch, height)), { pitch, height })
    this.#films = [frame(), frame()]
    this.#mixed = frame()
    this.#standing = frame()
    this.#packed = [take((width * height * 3) / 2), take((width * height * 3) / 2)]
    this.#columns = take((pitch / 16) * columnBlockBytes)
    this.#rows = take(height * rowEntryBytes)
    this.#spare = take(rowMaxPx + behindBytes)
    const abovePixels = aboves > 0 ? pitch * height : 0
    this.#rgba = take(Math.max(abovePixels, rowMaxPx * stripRows) * 4)
    const above = () => ({ at: take(pitch * height * 3) })
    this.#aboves = Array.from({ length: aboves }, above)
    this.#photosFrom = take(0)
    this.#photosTo = this.#photosFrom
    const initial = Math.ceil(this.#photosFrom / pageBytes)
    const maximum = initial + Math.ceil(photosMaxBytes / pageBytes)
    this.#memory = new WebAssembly.Memory({ initial, maximum })
    const { exports } = new WebAssembly.Instance(program, { env: { memory: this.#memory } })
    this.#program = exports as Program
  }

  /** Returns whether frames with this many layers above their photographs fit. */
  takes(aboves: number): boolean {
    return aboves <= this.#aboves.length
  }

  has(photo: Bitmap): boolean {
    return this.#photos.has(photo)
  }

  /**
   * Loads a photograph and returns whether it fits; if not, `forget` makes room. `rgba`: opaque,
   * rows without gaps.
   */
  keep(photo: Bitmap, rgba: Buffer): boolean {
    const bytes = photoBytes(photo)
    if (this.#photosTo + bytes > this.#photosFrom + this.#photosMaxBytes) return false
    const [pitch, height] = [even(photo.width), even(photo.height)]
    const planes = planesAt(this.#photosTo, { pitch, height })
    this.#photosTo += bytes
    this.#growTo(this.#photosTo)
    for (let top = 0; top < height; top += stripRows) this.#convert(photo, rgba, { top, planes })
    this.#photos.set(photo, planes)
    return true
  }

  /**
   * Drops all photographs. The memory then grows to its limit, so that no later frame's bytes move.
   */
  forget(): void {
    this.#photos = new Map()
    this.#photosTo = this.#photosFrom
    this.#growTo(this.#photosFrom + this.#photosMaxBytes)
  }

  /**
   * Builds the frame as planar YUV 4:2:0. Its bytes stay valid until the call after the next, or
   * until a photograph is loaded.
   */
  make(steps: readonly Step[]): Buffer {
    this.#turn = 1 - this.#turn
    const film = this.#films[this.#turn] ?? this.#films[0]
    let nth = 0
    for (const [i, step] of steps.entries()) {
      if (i === 0 && isWhole(step)) this.#lay(step, film)
      else this.#make(step, { nth, film })
      if (step.op === 'over') nth += 1
    }
    return this.#withoutGaps(film)
  }

  /**
   * Draws the lowest photograph. If it stands still below moving ones, it is scaled once and copied
   * into each frame.
   */
  #lay(lowest: Scaled, film: Planes): void {
    const isAsBefore = this.#lowest !== undefined && isAlike(this.#lowest, lowest)
    this.#lowest = lowest
    if (!isAsBefore) {
      this.#isStanding = false
      this.#scale(lowest, film)
      return
    }
    if (!this.#isStanding) this.#scale(lowest, this.#standing)
    this.#isStanding = true
    const bytes = planesBytes(film.pitch, this.#height)
    this.#bytes(this.#standing.at[0], bytes).copy(this.#bytes(film.at[0], bytes))
  }

  /** Runs a step. `nth`: number of layers drawn above the photographs so far. */
  #make(step: Step, { nth, film }: { nth: number; film: Planes }): void {
    switch (step.op) {
      case 'scale':
        this.#scale(step, step.to === 'film' ? film : this.#mixed)
        return
      case 'over':
        this.#over(step, { nth, onto: step.to === 'film' ? film : this.#mixed })
        return
      case 'mix': {
        const bytes = planesBytes(film.pitch, this.#height)
        this.#program.mix(this.#mixed.at[0], film.at[0], bytes, step.weight)
        return
      }
      default:
        step satisfies never
    }
  }

  #scale({ photo, across, down, weight }: Scaled, onto: Planes): void {
    const planes = this.#photos.get(photo)
    if (!planes) throw new Error('A photograph must be loaded before it is scaled')
    for (const share of [1, 2]) {
      const [width, height] = [onto.pitch / share, this.#height / share]
      const pitch = planes.pitch / share
      const picture = { width: even(photo.width) / share, height: even(photo.height) / share }
      const columns = neighbouringColumns({
        ...{ length: width, picture: picture.width },
        ...smaller(across, share),
      })
      const rows = neighbouringRows(
        { length: height, picture: picture.height, ...smaller(down, share) },
        pitch,
      )
      this.#bytes(this.#columns, columns.table.length).set(columns.table)
      this.#bytes(this.#rows, rows.table.length).set(rows.table)
      for (const plane of share === 1 ? lumaPlanes : chromaPlanes) {
        const from = planes.at[plane] + rows.first * pitch + columns.first
        const tables = [columns.count, this.#columns, this.#rows] as const
        const to = onto.at[plane]
        this.#program.scale(from, pitch, ...tables, width, height, to, weight, this.#spare)
      }
    }
  }

  #over({ rgba, area }: Step & { op: 'over' }, { nth, onto }: { nth: number; onto: Planes }): void {
    const above = this.#aboves[nth]
    if (!above)
      throw new Error(`A frame may have ${this.#aboves.length} layers above. Got one more`)
    const [left, top, width, height] = area
    if (above.rgba !== rgba) {
      this.#bytes(this.#rgba, rgba.length).set(rgba)
      this.#program.separate(this.#rgba, width, height, above.at)
      above.rgba = rgba
    }
    const planes = planesAt(above.at, { pitch: width, height })
    const alphas = above.at + planesBytes(width, height)
    const squareAlphas = alphas + width * height
    for (const plane of lumaPlanes) {
      const to = onto.at[plane] + top * onto.pitch + left
      this.#program.over(planes.at[plane], alphas, width, height, to, onto.pitch)
    }
    for (const plane of chromaPlanes) {
      const to = onto.at[plane] + (top * onto.pitch) / 4 + left / 2
      const [from, pitch] = [planes.at[plane], onto.pitch / 2]
      this.#program.over(from, squareAlphas, width / 2, height / 2, to, pitch)
    }
  }

  /** Converts some rows of a photograph to planes; an odd edge is repeated. */
  #convert(
    { width, height }: Bitmap,
    rgba: Buffer,
    { top, planes: { at, pitch } }: { top: number; planes: Planes },
  ): void {
    const rows = Math.min(stripRows, even(height) - top)
    const strip = this.#bytes(this.#rgba, pitch * rows * 4)
    for (let y = 0; y < rows; y += 1) {
      const from = Math.min(top + y, height - 1) * width * 4
      const row = rgba.subarray(from, from + width * 4)
      strip.set(row, y * pitch * 4)
      if (pitch > width) strip.set(row.subarray(-4), (y + 1) * pitch * 4 - 4)
    }
    const [ys, us, vs] = at
    const squares = (top * pitch) / 4
    this.#program.convertRows(this.#rgba, pitch, rows, ys + top * pitch, us + squares, vs + squares)
  }

  #withoutGaps({ at, pitch }: Planes): Buffer {
    const [width, height] = [this.#width, this.#height]
    const bytes = (width * height * 3) / 2
    if (pitch === width) return this.#bytes(at[0], bytes)
    const packed = this.#bytes(this.#packed[this.#turn] ?? 0, bytes)
    const all = this.#bytes(0, this.#memory.buffer.byteLength)
    let to = 0
    for (const [plane, begin] of at.entries()) {
      const share = plane === 0 ? 1 : 2
      for (let y = 0; y < height / share; y += 1) {
        const row = begin + (y * pitch) / share
        to += all.copy(packed, to, row, row + width / share)
      }
    }
    return packed
  }

  #growTo(bytes: number): void {
    const missing = bytes - this.#memory.buffer.byteLength
    if (missing > 0) this.#memory.grow(Math.ceil(missing / pageBytes))
  }

  #bytes(at: number, length: number): Buffer {
    return Buffer.from(this.#memory.buffer, at, length)
  }
}

/** Returns whether the step covers everything below it. */
function isWhole(step: Step): step is Scaled {
  return step.op === 'scale' && step.to === 'film' && step.weight === 255
}

function isAlike(one: Scaled, other: Scaled): boolean {
  const places = ({ across, down }: Scaled) => String([across, down].map(placeOf))
  return one.photo === other.photo && places(one) === places(other)
}

const placeOf = ({ source, dest }: Drawn) => [...source, ...dest]

const lumaPlanes = [0] as const
const chromaPlanes = [1, 2] as const

const even = (px: number) => px + (px % 2)

const planesBytes = (pitch: number, height: number) => (pitch * height * 3) / 2

function planesAt(at: number, { pitch, height }: { pitch: number; height: number }): Planes {
  const us = at + pitch * height
  return { at: [at, us, us + (pitch * height) / 4], pitch }
}

function smaller({ source, dest }: Drawn, share: number): Drawn {
  return {
    source: [source[0] / share, source[1] / share],
    dest: [dest[0] / share, dest[1] / share],
  }
}

/** Returns the bytes of a photograph. One row beyond the last is read, with no weight. */
export function photoBytes({ width, height }: Bitmap): number {
  const pitch = even(width)
  return Math.ceil((planesBytes(pitch, even(height)) + pitch + behindBytes) / 16) * 16
}

export function isRowTooLong({ width }: Bitmap): boolean {
  return even(width) > rowMaxPx
}

/** Returns an allocator of consecutive memory, each piece at a multiple of 16. */
function roomFrom(begin: number): (bytes: number) => number {
  let end = begin
  return (bytes) => {
    const at = end
    end += Math.ceil(bytes / 16) * 16
    return at
  }
}
