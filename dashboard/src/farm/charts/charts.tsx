import { zoneNow } from '../../settings/choices.ts'
import { Card, Page, Shown } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { absoluteTime, count, duration } from '../../words/format.ts'
import { usePolled } from '../api/use-polled.ts'
import { WideTable } from '../ui/wide-table.tsx'
import { readFigures, samples } from './kept-figures.ts'
import { lineOf, type Sample } from './samples.ts'

const width = 300
const height = 80
const tableRows = 20

type Format = (value: number) => string
const charts: readonly (readonly [name: string, title: string, format: Format])[] = [
  ['queued', 'Tasks queued', count],
  ['oldest', 'Wait of the oldest task', duration],
  ['running', 'Tasks running', count],
  ['slots', 'Slots of nodes that take work', count],
  ['nodes', 'Nodes that take work', count],
  ['fairness', 'Fairness (Jain)', (value) => value.toFixed(2)],
  ['webhooks', 'Webhooks pending', count],
  ['words', 'Words unsent', count],
]

/** The figures of the farm over the time that these pages are open, at most an hour. */
export function Charts() {
  const latest = usePolled(readFigures, [])
  const kept = samples.value
  const first = kept[0]
  return (
    <Page
      title="Charts"
      lead={
        first && (
          <>
            Since <Time at={new Date(first.at).toISOString()} />, as long as these pages are open.
            Prometheus keeps more.
          </>
        )
      }
    >
      <Shown of={latest}>
        {() => (
          <>
            <div class="charts">
              {charts.map(([name, title, format]) => (
                <Chart key={name} {...{ name, title, format }} samples={kept} />
              ))}
            </div>
            <Table samples={kept} />
          </>
        )}
      </Shown>
    </Page>
  )
}

function Chart({
  name,
  title,
  format,
  samples: kept,
}: {
  name: string
  title: string
  format: Format
  samples: readonly Sample[]
}) {
  const { points, most, latest } = lineOf(kept, { name, width, height })
  return (
    <Card title={title} aside={<b>{format(latest)}</b>}>
      <svg class="chart" viewBox={`0 -2 ${width} ${height + 4}`} aria-hidden="true">
        <polyline points={`0,${height} ${width},${height}`} class="floor" />
        <polyline points={points} />
      </svg>
      <p class="quiet">Most: {format(most)}</p>
    </Card>
  )
}

function Table({ samples: kept }: { samples: readonly Sample[] }) {
  return (
    <details>
      <summary>As a table</summary>
      <WideTable label="Figures" head={['Time', ...charts.map(([, title]) => title)]}>
        {kept
          .slice(-tableRows)
          .toReversed()
          .map(({ at, values }) => (
            <tr key={at}>
              <td>{absoluteTime(new Date(at).toISOString(), zoneNow())}</td>
              {charts.map(([name, , format]) => (
                <td key={name} class="number">
                  {format(values[name] ?? 0)}
                </td>
              ))}
            </tr>
          ))}
      </WideTable>
    </details>
  )
}
