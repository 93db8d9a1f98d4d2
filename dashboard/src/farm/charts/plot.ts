import 'uplot/dist/uPlot.min.css'
import UPlot, { type AlignedData, type Options, type Series } from 'uplot'
import { axisTimes, type Zone } from '../../words/format.ts'
import { aloneAt, type ChartFacts, type ChartValues, formatOf, stacked } from './chart-values.ts'

const height = 160
const axisWidth = 64

/**
 * Draws the lines of a chart in a box, in the colours of its legend, as wide as the box is. Values of other
 * lines need a new plot.
 */
export function openPlot(
  box: HTMLElement,
  { legend, chart, zone }: { legend: HTMLElement; chart: ChartFacts; zone: Zone },
): { show(values: ChartValues): void; end(): void } {
  let plot: UPlot | undefined
  const resized = new ResizeObserver(() => plot?.setSize({ width: box.clientWidth, height }))

  function show({ times, lines }: ChartValues): void {
    const values = lines.map((line) => line.values)
    // The area of the whole stack is drawn first, and smaller ones over it.
    const drawn = chart.shown === 'stack' ? stacked(values).toReversed() : values
    const data = [[...times], ...drawn.map((line) => [...line])] as AlignedData
    plot?.setData(data)
    if (plot) return
    plot = new UPlot(optionsOf(lines.length), data, box)
    resized.observe(box)
  }

  function optionsOf(lines: number): Options {
    const ink = getComputedStyle(box)
    const swatches = [...legend.querySelectorAll('.swatch')]
    const colours = swatches.map((each) => getComputedStyle(each).backgroundColor)
    const isStack = chart.shown === 'stack'
    const order = isStack ? colours.toReversed() : colours
    const axis = {
      stroke: ink.color,
      grid: { stroke: ink.borderTopColor, width: 1 },
      ticks: { stroke: ink.borderTopColor, width: 1 },
      font: `12px ${ink.fontFamily}`,
    }
    const format = formatOf(chart.unit)
    return {
      ...{ width: box.clientWidth, height, legend: { show: false } },
      cursor: { show: false },
      ...(zone === 'UTC' && { tzDate: (at: number) => UPlot.tzDate(new Date(at * 1000), 'UTC') }),
      scales: { y: { range: (_, _least, most) => [0, most > 0 ? most * 1.05 : 1] } },
      axes: [
        { ...axis, values: (_, all, _axis, _space, step) => [...axisTimes(all, { step, zone })] },
        { ...axis, size: axisWidth, values: (_, all) => all.map((each) => format(each)) },
      ],
      series: [
        {},
        ...Array.from({ length: lines }, (_, at) => {
          const stroke = order[at] ?? ink.color
          return { stroke, width: 1.5, points: pointsOf(stroke), ...(isStack && { fill: stroke }) }
        }),
      ],
    }
  }

  /** Draws a dot where a value has no neighbours: it has no line. */
  function pointsOf(stroke: string): Series.Points {
    const filter = (self: UPlot, line: number) => [...aloneAt([...(self.data[line] ?? [])])]
    return { ...{ show: false, size: 6, stroke, fill: stroke }, filter }
  }

  return {
    show,
    end() {
      resized.disconnect()
      plot?.destroy()
    },
  }
}
