/** Axis along which a plane is scaled onto a plane of a frame. */
export type Axis = {
  /** Length of the frame, samples. */
  readonly length: number
  /** Length of the picture, samples. */
  readonly picture: number
  /** Drawn part of the picture, in its samples: beginning and length. */
  readonly source: readonly [begin: number, length: number]
  /** Place on the frame, samples: beginning and length. */
  readonly dest: readonly [begin: number, length: number]
}

/**
 * Used samples of the picture, and the neighbours of each of the frame's samples, in the format of
 * `layers.wasm`.
 */
export type Neighbours = {
  readonly first: number
  readonly count: number
  readonly table: Uint8Array
}

/** Weights of two neighbours sum to this. */
const whole = 128

export const rowEntryBytes = 8
export const columnBlockBytes = 48
/** Samples of a row that are computed together. */
const blockSamples = 16
/** Offsets in a block: places of its samples, and their weights. */
const placesAt = 16
const weightsAt = 32
/** Distance that bounds the neighbours of a block: nothing is reduced by more than half. */
const reachMax = 32

/** Returns the table of rows. `step`: bytes from one row of the picture to the next. */
export function neighbouringRows(axis: Axis, step: number): Neighbours {
  const { first, count, places } = placesOf(axis)
  const table = new DataView(new ArrayBuffer(axis.length * rowEntryBytes))
  for (const [at, place] of places.entries()) {
    table.setUint32(at * rowEntryBytes, Math.floor(place / whole) * step, true)
    table.setUint32(at * rowEntryBytes + 4, place % whole, true)
  }
  return { first, count, table: new Uint8Array(table.buffer) }
}

/** Returns the table of columns. `axis.length`: a multiple of 16. */
export function neighbouringColumns(axis: Axis): Neighbours {
  const { first, count, places } = placesOf(axis)
  const blocks = axis.length / blockSamples
  const table = new DataView(new ArrayBuffer(blocks * columnBlockBytes))
  for (const [at, place] of places.entries()) {
    const block = Math.floor(at / blockSamples)
    const blockFirst = Math.floor((places[block * blockSamples] ?? 0) / whole)
    const behind = Math.floor(place / whole) - blockFirst
    if (behind >= reachMax)
      throw new Error(`A copy must be large enough. Got ${behind} samples in 16`)
    const entry = block * columnBlockBytes
    table.setUint32(entry, blockFirst, true)
    table.setUint8(entry + placesAt + (at % blockSamples), behind)
    table.setUint8(entry + weightsAt + (at % blockSamples), place % whole)
  }
  return { first, count, table: new Uint8Array(table.buffer) }
}

/**
 * Returns the place in the picture of each sample of the frame, in 128ths, counted from `first`.
 * Neighbours outside the drawn part or the picture have no weight.
 */
function placesOf({ length, picture, source: [begin, drawn], dest }: Axis) {
  const perSample = drawn / dest[1]
  const least = begin + 0.5
  const most = begin + Math.max(0.5, drawn - 0.5)
  const all = Array.from({ length }, (_, at) => {
    const middle = begin + (at + 0.5 - dest[0]) * perSample
    const place = Math.min(Math.max(middle, least), most) - 0.5
    return Math.round(Math.min(Math.max(place, 0), picture - 1) * whole)
  })
  const first = Math.floor((all[0] ?? 0) / whole)
  const count = Math.floor((all.at(-1) ?? 0) / whole) - first + 2
  return { first, count, places: all.map((place) => place - first * whole) }
}
