import { useEffect, useRef, useState } from 'preact/hooks'
import { zoneNow } from '../../settings/choices.ts'
import { theme } from '../../settings/theme.ts'
import { Card, Shown } from '../../ui/parts.tsx'
import { absoluteTime } from '../../words/format.ts'
import { read } from '../api/operator-api.ts'
import { usePolled } from '../api/use-polled.ts'
import { WideTable } from '../ui/wide-table.tsx'
import { type ChartFacts, type ChartValues, formatOf, latestOf, mostOf } from './chart-values.ts'

type OpenPlot = { show(values: ChartValues): void; end(): void }

/** Prometheus reads the roles as often. */
const everyMs = 15_000
const tableRows = 20
/** Colours of lines, in turn (farm.css). */
const colours = 6

/** One chart, its lines with their latest values, and the same as a table. */
export function ChartCard({ chart, minutes }: { chart: ChartFacts; minutes: number }) {
  const { name, title, about } = chart
  const loaded = usePolled(
    (signal) =>
      read('GET /api/operator/charts/{chart}', { chart: name, query: { minutes }, signal }),
    [name, minutes],
    everyMs,
  )
  return (
    <Card title={title}>
      <p class="quiet">{about}</p>
      <Shown of={loaded}>
        {(values) => (
          <>
            {values.fault !== null && <p class="fault">{values.fault}</p>}
            {values.fault === null && values.lines.length === 0 && (
              <p class="quiet">No values in this time.</p>
            )}
            {values.lines.length > 0 && <Lines chart={chart} values={values} />}
          </>
        )}
      </Shown>
    </Card>
  )
}

function Lines({ chart, values }: { chart: ChartFacts; values: ChartValues }) {
  const format = formatOf(chart.unit)
  const legend = useRef<HTMLUListElement>(null)
  return (
    <>
      <Plot chart={chart} values={values} legend={legend} />
      <ul class="legend" ref={legend}>
        {values.lines.map(({ label, values: all }, at) => (
          <li key={`${at} ${label}`}>
            <i class={`swatch swatch-${at % colours}`} /> <span dir="auto">{label}</span>{' '}
            <b>{format(latestOf(all))}</b> <span class="quiet">most {format(mostOf(all))}</span>
          </li>
        ))}
      </ul>
      <details>
        <summary>As a table</summary>
        <WideTable label={chart.title} head={['Time', ...values.lines.map(({ label }) => label)]}>
          {values.times
            .map((at, i) => (
              <tr key={at}>
                <td>{absoluteTime(new Date(at * 1000).toISOString(), zoneNow())}</td>
                {values.lines.map(({ label, values: all }, line) => (
                  <td key={`${line} ${label}`} class="number">
                    {format(all[i] ?? null)}
                  </td>
                ))}
              </tr>
            ))
            .slice(-tableRows)
            .toReversed()}
        </WideTable>
      </details>
    </>
  )
}

/** The canvas: what it shows is in the legend and the table, too. */
function Plot({
  chart,
  values,
  legend,
}: {
  chart: ChartFacts
  values: ChartValues
  legend: { readonly current: HTMLUListElement | null }
}) {
  const box = useRef<HTMLDivElement>(null)
  const latest = useRef(values)
  latest.current = values
  const zone = zoneNow()
  const shape = values.lines.map(({ label }) => label).join('\n')
  const plot = useRef<OpenPlot | undefined>(undefined)
  const [isMissing, setMissing] = useState(false)
  useEffect(() => {
    let isOver = false
    import('./plot.ts').then(
      ({ openPlot }) => {
        if (isOver || !box.current || !legend.current) return
        plot.current = openPlot(box.current, { legend: legend.current, chart, zone })
        plot.current.show(latest.current)
      },
      // A silent network, or a newer release that no longer has this file.
      () => setMissing(true),
    )
    return () => {
      isOver = true
      plot.current?.end()
      plot.current = undefined
    }
  }, [chart, zone, shape, theme.value])
  useEffect(() => plot.current?.show(values), [values])
  if (isMissing) return <p class="quiet">The lines could not be drawn. Reload the page for them.</p>
  return <div class="plot" ref={box} aria-hidden="true" />
}
