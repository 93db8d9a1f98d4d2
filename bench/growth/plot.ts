import type { Spread } from '../statistics.ts'

/** Seconds for each step of the growing quantity. */
export type Line = {
  readonly name: string
  readonly unit: string
  /** A larger x takes less time. */
  readonly falls?: true
  readonly points: readonly { readonly x: number; readonly seconds: Spread }[]
}

const cell = { width: 360, height: 250 }
const margin = { left: 52, right: 16, top: 40, bottom: 42 }
const columns = 3

/**
 * Draws small plots, one for each line, both axes logarithmic. Proportional growth rises (or falls)
 * along the dashed line; a free quantity stays flat. Bars go from the least to the most.
 */
export function drawGrowth(lines: readonly Line[]): string {
  const width = columns * cell.width
  const height = Math.ceil(lines.length / columns) * cell.height
  const plots = lines.map((line, i) => {
    const x = (i % columns) * cell.width
    const y = Math.floor(i / columns) * cell.height
    return `<g transform="translate(${x} ${y})">${plot(line)}</g>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="11">
<rect width="100%" height="100%" fill="#fff"/>
${plots.join('\n')}
</svg>
`
}

function plot({ name, unit, points, falls }: Line): string {
  const xs = axis(
    points.map(({ x }) => x),
    [margin.left, cell.width - margin.right],
  )
  const all = points.flatMap(({ seconds }) => [seconds.min, seconds.max])
  const ys = axis(all, [cell.height - margin.bottom, margin.top])
  const at = ({ x, seconds }: Line['points'][number]) => `${xs.at(x)},${ys.at(seconds.median)}`
  return [
    `<text x="${margin.left}" y="18" font-size="14" font-weight="bold">${name}</text>`,
    `<text x="${margin.left}" y="32" fill="#666">seconds from POST to completed; dashed: in proportion</text>`,
    `<text x="${cell.width - margin.right}" y="${cell.height - 8}" text-anchor="end" fill="#666">${unit}</text>`,
    ...ys.ticks.map(
      (tick) =>
        `<path d="M${margin.left} ${ys.at(tick)}H${cell.width - margin.right}" stroke="#eee"/><text x="${margin.left - 6}" y="${ys.at(tick) + 4}" text-anchor="end">${tick}</text>`,
    ),
    ...points.map(
      ({ x }) =>
        `<text x="${xs.at(x)}" y="${cell.height - margin.bottom + 16}" text-anchor="middle">${shown(x)}</text>`,
    ),
    inProportion(points, { xs, ys, falls }),
    `<polyline points="${points.map(at).join(' ')}" fill="none" stroke="#0b6" stroke-width="2"/>`,
    ...points.map(
      ({ x, seconds }) =>
        `<path d="M${xs.at(x)} ${ys.at(seconds.min)}V${ys.at(seconds.max)}" stroke="#0b6"/><circle cx="${xs.at(x)}" cy="${ys.at(seconds.median)}" r="3" fill="#0b6"/>`,
    ),
  ].join('\n')
}

/** Draws the time in proportion to x, back from the last point, or onwards from the first one. */
function inProportion(
  points: Line['points'],
  { xs, ys, falls }: { xs: Axis; ys: Axis; falls: true | undefined },
): string {
  const [first, last] = [points[0], points.at(-1)]
  if (!first || !last) return ''
  if (falls) {
    const least = Math.max(ys.least, (first.seconds.median * first.x) / last.x)
    const x = (first.x * first.seconds.median) / least
    return dashed([first.x, first.seconds.median], [x, least], { xs, ys })
  }
  const seconds = (x: number) => (last.seconds.median * x) / last.x
  const from = Math.max(first.x, (last.x * ys.least) / last.seconds.median)
  return dashed([from, seconds(from)], [last.x, last.seconds.median], { xs, ys })
}

type Point = readonly [x: number, seconds: number]

function dashed([x, y]: Point, [toX, toY]: Point, { xs, ys }: { xs: Axis; ys: Axis }): string {
  return `<path d="M${xs.at(x)} ${ys.at(y)}L${xs.at(toX)} ${ys.at(toY)}" stroke="#999" stroke-dasharray="4 3"/>`
}

type Axis = {
  readonly least: number
  readonly ticks: readonly number[]
  at(value: number): number
}

function axis(values: readonly number[], [from, to]: readonly [number, number]): Axis {
  const least = Math.min(...values) * 0.8
  const most = Math.max(...values) * 1.25
  const span = Math.log(most / least)
  const steps = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500]
  return {
    least,
    ticks: steps.filter((step) => step >= least && step <= most),
    at: (value) => Math.round(from + (Math.log(value / least) / span) * (to - from)),
  }
}

function shown(x: number): string {
  return x >= 10 ? x.toFixed(0) : String(Number(x.toPrecision(2)))
}
