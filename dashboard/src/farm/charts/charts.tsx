import { useLocation } from 'preact-iso'
import { Page, Shown } from '../../ui/parts.tsx'
import { read } from '../api/operator-api.ts'
import type { Reply } from '../api/reply.ts'
import { usePolled } from '../api/use-polled.ts'
import { Select } from '../ui/filters.tsx'
import { queryOf } from '../ui/query.ts'
import { ChartCard } from './chart-card.tsx'

type Charts = Reply<'GET /api/operator/charts'>

const hourMinutes = 60
const ranges: readonly (readonly [minutes: string, name: string])[] = [
  ['360', 'Six hours'],
  ['1440', 'A day'],
  ['10080', 'A week'],
]

/** The farm over time: the charts of the dashboards by Prometheus, or an hour that the farm keeps itself. */
export function Charts() {
  const list = usePolled((signal) => read('GET /api/operator/charts', { signal }), [], 0)
  return (
    <Page title="Charts" lead={list.data && leads[list.data.source]}>
      <Shown of={list}>{(data) => <Groups charts={data} />}</Shown>
    </Page>
  )
}

const leads = {
  prometheus: 'From Prometheus.',
  kept: 'The last hour. FARM_PROMETHEUS names one that keeps more.',
} as const

function Groups({ charts: { source, groups } }: { charts: Charts }) {
  const { query, route } = useLocation()
  const group = groups.find(({ name }) => name === query.group) ?? groups[0]
  const known = ranges.find(([minutes]) => minutes === query.minutes)
  const minutes = source === 'prometheus' && known ? Number(known[0]) : hourMinutes
  const addressOf = (next: Record<string, string>) =>
    `/farm/charts${queryOf({ ...query, ...next })}`
  return (
    <>
      {source === 'prometheus' && (
        <search class="filters">
          <nav class="chart-groups" aria-label="Charts">
            {groups.map(({ name, title }) => (
              <a
                key={name}
                class="button"
                href={addressOf({ group: name })}
                {...(name === group?.name && { 'aria-current': 'page' as const })}
              >
                {title}
              </a>
            ))}
          </nav>
          <Select
            label="Time"
            all="An hour"
            value={query.minutes ?? ''}
            options={ranges}
            onChange={(given) => route(addressOf({ minutes: given }))}
          />
        </search>
      )}
      {group?.rows.map(({ title, charts }) => (
        <section key={`${group.name} ${title}`} class="chart-row" aria-label={title}>
          <h2>{title}</h2>
          <div class="charts">
            {charts.map((chart) => (
              <ChartCard key={`${chart.name} ${minutes}`} chart={chart} minutes={minutes} />
            ))}
          </div>
        </section>
      ))}
    </>
  )
}
