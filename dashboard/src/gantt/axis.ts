export type Span = { readonly from: number; readonly to: number }

/** Longer times in which nothing happened are cut to this. */
const idleSeconds = 5
const shortestSeconds = 0.001

/** Maps times, ms, to places 0 to 1; times covered by no span are cut to a few seconds. */
export function axisOf(spans: readonly Span[]) {
  const pieces: { from: number; to: number; at: number }[] = []
  const cuts: { at: number; seconds: number }[] = []
  let seconds = 0
  for (const { from, to } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = pieces.at(-1)
    if (last && from <= last.to) {
      seconds += Math.max(0, to - last.to) / 1000
      last.to = Math.max(last.to, to)
      continue
    }
    if (last) {
      const idle = (from - last.to) / 1000
      if (idle > idleSeconds) cuts.push({ at: seconds, seconds: idle })
      seconds += Math.min(idle, idleSeconds)
    }
    pieces.push({ from, to, at: seconds })
    seconds += (to - from) / 1000
  }
  const whole = Math.max(seconds, shortestSeconds)
  return {
    seconds,
    cuts: cuts.map((cut) => ({ ...cut, at: cut.at / whole })),
    placeOf: (time: number) => {
      const piece = pieces.findLast(({ from }) => from <= time) ?? pieces[0]
      if (!piece) return 0
      return Math.min(
        1,
        (piece.at + Math.min(piece.to, Math.max(piece.from, time)) / 1000 - piece.from / 1000) /
          whole,
      )
    },
  }
}
