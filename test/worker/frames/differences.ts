/** Differences between two frames' samples, in steps of 255. */
type Difference = { readonly most: number; readonly mean: number }

type Plane = 'luma' | 'chroma' | 'edge'

/**
 * A segment rendered by one source and by the painter. `edge`: the last row and column of chroma,
 * which `chroma` leaves out.
 */
export type Compared = { readonly source: string } & Readonly<Record<Plane, Difference>>

/** Compares frames of planar YUV 4:2:0. */
export function differencesOf(
  [a, b]: readonly [Buffer, Buffer],
  { width, height, frames }: { width: number; height: number; frames: number },
): Readonly<Record<Plane, Difference>> {
  const pixels = width * height
  const frameBytes = (pixels * 3) / 2
  if (frames === 0 || a.length !== frames * frameBytes || b.length !== a.length) {
    throw new Error(`Both must have ${frames} frames. Got ${a.length} and ${b.length} bytes`)
  }
  const [wide, high] = [width / 2, height / 2]
  const planeAt = Array.from({ length: frameBytes }, (_, at): Plane => {
    if (at < pixels) return 'luma'
    const sample = (at - pixels) % (wide * high)
    const isLast = sample % wide === wide - 1 || sample >= wide * (high - 1)
    return isLast ? 'edge' : 'chroma'
  })
  const sums = { luma: zero(), chroma: zero(), edge: zero() }
  for (const [at, value] of a.entries()) {
    const off = Math.abs(value - (b[at] ?? 0))
    const sum = sums[planeAt[at % frameBytes] ?? 'luma']
    sum.most = Math.max(sum.most, off)
    sum.total += off
    sum.count += 1
  }
  const { luma, chroma, edge } = sums
  return { luma: differenceOf(luma), chroma: differenceOf(chroma), edge: differenceOf(edge) }
}

const zero = () => ({ most: 0, total: 0, count: 0 })

function differenceOf({ most, total, count }: ReturnType<typeof zero>): Difference {
  return { most, mean: total / count }
}

/**
 * Largest differences from the painter; decision 0098 has what was measured. A turned picture is
 * sampled in sixteenths of a pixel, which may fall the other way at other coordinates: by 255 / 16
 * for each axis, or 28 steps of luma. ffmpeg's overlay weighs the last row and column of chroma by
 * the alpha of fewer pixels.
 */
const bounds: Readonly<Record<string, Readonly<Record<Plane, Difference>>>> = {
  'over-clip': {
    luma: { most: 16, mean: 0.25 },
    chroma: { most: 16, mean: 0.8 },
    edge: { most: 112, mean: 3 },
  },
  patched: {
    // One film in some 900 reached 0.0217.
    luma: { most: 28, mean: 0.03 },
    chroma: { most: 16, mean: 0.02 },
    edge: { most: 16, mean: 0.02 },
  },
  composed: {
    luma: { most: 10, mean: 1 },
    chroma: { most: 24, mean: 1.2 },
    edge: { most: 24, mean: 1.2 },
  },
}

/** Returns the differences that exceed their source's bound, as sentences. */
export function excesses({ source, ...planes }: Compared): string[] {
  const bound = bounds[source]
  if (!bound) return [`${source} must have a bound. It has none`]
  return (['luma', 'chroma', 'edge'] as const).flatMap((plane) =>
    (['most', 'mean'] as const).flatMap((measure) => {
      const [seen, allowed] = [planes[plane][measure], bound[plane][measure]]
      return seen > allowed ? [`${source}, ${plane}: ${measure} ${seen} exceeds ${allowed}`] : []
    }),
  )
}
