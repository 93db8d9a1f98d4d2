import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { Copy } from '../../ui/copy.tsx'
import { Card, Page, Shown } from '../../ui/parts.tsx'
import { read } from '../api/operator-api.ts'
import { seldomMs, usePolled } from '../api/use-polled.ts'
import { Acts } from '../ui/acts.tsx'
import { SearchField } from '../ui/filters.tsx'
import { queryOf } from '../ui/query.ts'
import { quoted } from '../ui/quoted.ts'

const pageSize = 50
const mostShown = 10_000
const fields = [
  ['actor', 'Who'],
  ['act', 'What'],
  ['subject', 'To what: an id or a name'],
] as const

/** Acts of operators, with time and reason; filters stand in the address. */
export function Audit() {
  const { query, route } = useLocation()
  const { actor, act, subject } = query
  const filter = { ...(actor && { actor }), ...(act && { act }), ...(subject && { subject }) }
  const [limit, setLimit] = useState(pageSize)
  const key = JSON.stringify(filter)
  const first = usePolled(
    (signal) => read('GET /api/operator/audit', { query: { ...filter, limit }, signal }),
    [key, limit],
    seldomMs,
  )
  return (
    <Page title="Audit">
      <search class="filters">
        {fields.map(([name, label]) => (
          <SearchField
            key={name}
            label={label}
            value={query[name] ?? ''}
            onChange={(text) => route(`/farm/audit${queryOf({ ...filter, [name]: text })}`)}
          />
        ))}
      </search>
      <Shown of={first}>
        {({ acts }) => (
          <Card title="Acts, the latest first">
            <Acts acts={acts} hasSubject />
            {acts.length === limit && limit < mostShown && (
              <button type="button" onClick={() => setLimit(Math.min(limit * 2, mostShown))}>
                Show older acts
              </button>
            )}
          </Card>
        )}
      </Shown>
      <div class="actions">
        <Copy text={`farm audit${subject ? ` ${quoted(subject)}` : ''}`} label="Copy as farm" />
      </div>
    </Page>
  )
}
