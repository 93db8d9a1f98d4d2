export type Sample = { readonly at: number; readonly values: Readonly<Record<string, number>> }

const keptMs = 3_600_000
/** Samples older than this are one in each such time. */
const freshMs = 300_000
const stepMs = 20_000

/** Keeps an hour of samples: those of the last five minutes, and of the rest one in 20 seconds. */
export function thinned(samples: readonly Sample[]): readonly Sample[] {
  const now = samples.at(-1)?.at ?? 0
  let last = Number.NEGATIVE_INFINITY
  return samples.filter(({ at }) => {
    if (at < now - keptMs) return false
    if (at >= now - freshMs) return true
    if (at - last < stepMs) return false
    last = at
    return true
  })
}

export type Line = {
  /** Points of a polyline, in a box of `width` and `height`. */
  readonly points: string
  readonly most: number
  readonly latest: number
}

/** Places one value of all samples in a box, the latest at its right edge. */
export function lineOf(
  samples: readonly Sample[],
  { name, width, height }: { name: string; width: number; height: number },
): Line {
  const first = samples[0]?.at ?? 0
  const span = Math.max(1, (samples.at(-1)?.at ?? 0) - first)
  const values = samples.map(({ values: all }) => all[name] ?? 0)
  const most = Math.max(0, ...values)
  const points = samples.map(({ at }, i) => {
    const x = ((at - first) / span) * width
    const y = height - ((values[i] ?? 0) / Math.max(most, 1e-9)) * height
    return `${x.toFixed(1)},${y.toFixed(1)}`
  })
  return { points: points.join(' '), most, latest: values.at(-1) ?? 0 }
}
