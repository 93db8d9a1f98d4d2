import { useLocation } from 'preact-iso'
import { useLoaded } from '../live/use-loaded.ts'
import { caller } from '../session/farm.ts'
import { Pages, pageOf } from '../ui/pages.tsx'
import { Empty, Page, Shown } from '../ui/parts.tsx'
import { State } from '../ui/state.tsx'
import { Time } from '../ui/time.tsx'
import { counted } from '../words/format.ts'
import { CountBar } from './count-bar.tsx'

const pageSize = 50

export function Bulks() {
  const { query, route } = useLocation()
  const page = pageOf(query)
  const bulks = useLoaded(
    (signal) => caller.ask('GET /api/render/bulk', { signal, query: { page, pageSize } }),
    [page],
    { isAffected: ({ kind }) => kind === 'bulk' },
  )
  return (
    <Page
      title="Bulks"
      lead="One template, many films: a row of a table each."
      commands={() => [{ action: 'listBulks', query: { page, pageSize } }]}
      actions={
        <a class="button primary" href="/bulks/new">
          New bulk
        </a>
      }
    >
      <Shown of={bulks}>
        {({ bulks: shown, total }) =>
          total === 0 ? (
            <Empty>
              <h2>No bulks yet</h2>
              <p>
                <a href="/bulks/new">Make one from a CSV file</a>
              </p>
            </Empty>
          ) : (
            <>
              {shown.length > 0 && (
                <ul class="rows card">
                  {shown.map((bulk) => (
                    <li key={bulk.bulkId} class="row bulk-row">
                      <span class="row-name">
                        <a href={`/bulks/${bulk.bulkId}`} dir="auto">
                          {bulk.name || bulk.bulkId}
                        </a>
                        <span class="quiet">{counted(bulk.items, 'item')}</span>
                      </span>
                      <CountBar counts={bulk.counts} refused={bulk.errors.length} />
                      <span class="row-state">
                        <State of={bulk.state} />
                      </span>
                      <span class="row-time quiet">
                        <Time at={bulk.ts.created} />
                      </span>
                    </li>
                  ))}
                </ul>
              )}
              <Pages
                label="Pages of the bulks"
                {...{ page, pageSize, total }}
                onGo={(next) => route(`/bulks?page=${next}`)}
              />
            </>
          )
        }
      </Shown>
    </Page>
  )
}
