/** Differences between two frames' samples, in steps of 255. */
type Difference = { readonly most: number; readonly mean: number }

/**
 * `chroma` is all of it, `edge` its last row and column, and `inner` the rest. `unlike` is luma's
 * difference less a quarter of the range of the painter's samples around.
 */
const parts = ['luma', 'unlike', 'chroma', 'inner', 'edge'] as const
type Part = (typeof parts)[number]

/** A segment rendered by one source and by the painter. */
export type Compared = { readonly source: string } & Readonly<Record<Part, Difference>>

/** Compares frames of planar YUV 4:2:0, of a source and of the painter. */
export function differencesOf(
  [made, painted]: readonly [Buffer, Buffer],
  { width, height, frames }: { width: number; height: number; frames: number },
): Readonly<Record<Part, Difference>> {
  const pixels = width * height
  const frameBytes = (pixels * 3) / 2
  if (frames === 0 || made.length !== frames * frameBytes || painted.length !== made.length) {
    throw new Error(
      `Both must have ${frames} frames. Got ${made.length} and ${painted.length} bytes`,
    )
  }
  const [wide, high] = [width / 2, height / 2]
  const isEdge = Array.from({ length: wide * high }, (_, at) => {
    return at % wide === wide - 1 || at >= wide * (high - 1)
  })
  const sums = { luma: zero(), unlike: zero(), chroma: zero(), inner: zero(), edge: zero() }
  for (const [at, value] of made.entries()) {
    const off = Math.abs(value - (painted[at] ?? 0))
    const inFrame = at % frameBytes
    if (inFrame < pixels) {
      add(sums.luma, off)
      add(sums.unlike, off < 2 ? 0 : off - rangeAround(painted, { at, inFrame, width, height }) / 4)
    } else {
      add(sums.chroma, off)
      add(isEdge[(inFrame - pixels) % isEdge.length] ? sums.edge : sums.inner, off)
    }
  }
  const { luma, unlike, chroma, inner, edge } = sums
  return {
    ...{ luma: differenceOf(luma), unlike: differenceOf(unlike) },
    ...{ chroma: differenceOf(chroma), inner: differenceOf(inner), edge: differenceOf(edge) },
  }
}

/** Returns the range of the luma samples up to one pixel away. */
function rangeAround(
  samples: Buffer,
  { at, inFrame, width, height }: Record<'at' | 'inFrame' | 'width' | 'height', number>,
): number {
  const [x, y] = [inFrame % width, Math.floor(inFrame / width)]
  let [least, most] = [255, 0]
  for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row += 1) {
    for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column += 1) {
      const sample = samples[at + (row - y) * width + column - x] ?? 0
      least = Math.min(least, sample)
      most = Math.max(most, sample)
    }
  }
  return most - least
}

function add(sum: ReturnType<typeof zero>, off: number): void {
  sum.most = Math.max(sum.most, off)
  sum.total += Math.max(0, off)
  sum.count += 1
}

const zero = () => ({ most: 0, total: 0, count: 0 })

function differenceOf({ most, total, count }: ReturnType<typeof zero>): Difference {
  return { most, mean: total / count }
}

/**
 * Largest differences from the painter; decision 0098 has what was measured. ffmpeg's overlay
 * weighs the last row and column of chroma by the alpha of fewer pixels. A patch samples pictures
 * at other coordinates, where a sample may fall into the next sixteenth of a pixel: the more of a
 * difference the steeper the picture is there.
 */
const bounds: Readonly<Record<string, Readonly<Partial<Record<Part, Partial<Difference>>>>>> = {
  'over-clip': {
    luma: { most: 16, mean: 0.25 },
    inner: { most: 16, mean: 0.8 },
    edge: { most: 112, mean: 6 },
  },
  'over-clip, enlarged': {
    luma: { most: 16, mean: 0.6 },
    inner: { most: 16, mean: 0.8 },
    edge: { most: 112, mean: 6 },
  },
  patched: {
    luma: { mean: 0.1 },
    unlike: { most: 8 },
    chroma: { most: 16, mean: 0.03 },
  },
  composed: {
    luma: { most: 10, mean: 1 },
    chroma: { most: 24, mean: 1.2 },
  },
}

/** Returns the differences that exceed their source's bound, as sentences. */
export function excesses(
  { source, ...differences }: Compared,
  { isEnlarged }: { readonly isEnlarged: boolean },
): string[] {
  const bound = (isEnlarged ? bounds[`${source}, enlarged`] : undefined) ?? bounds[source]
  if (!bound) return [`${source} must have a bound. It has none`]
  return parts.flatMap((part) =>
    (['most', 'mean'] as const).flatMap((measure) => {
      const [seen, allowed] = [differences[part][measure], bound[part]?.[measure]]
      if (allowed === undefined || seen <= allowed) return []
      return [`${source}, ${part}: ${measure} ${seen} exceeds ${allowed}`]
    }),
  )
}
