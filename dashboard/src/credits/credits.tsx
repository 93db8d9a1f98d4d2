import { useLocation } from 'preact-iso'
import { creditKinds } from '../../../core/accounts/credits.ts'
import { useLoaded } from '../live/use-loaded.ts'
import { DayBars } from '../overview/day-bars.tsx'
import { caller, farm } from '../session/farm.ts'
import { act } from '../ui/act.ts'
import { Pages, pageOf } from '../ui/pages.tsx'
import { Card, Empty, Figure, Page, Shown } from '../ui/parts.tsx'
import { save } from '../ui/save.ts'
import { Time } from '../ui/time.tsx'
import { count, credits } from '../words/format.ts'
import { lastsFor } from './forecast.ts'

const pageSize = 100
const days = 30

/** Shows credits owned, held and spent, and the ledger, line by line. */
export function Credits() {
  const { query, route } = useLocation()
  const kind = creditKinds.find((each) => each === query.kind)
  const page = pageOf(query)
  const balance = useLoaded((signal) => farm.credits.balance({ signal }), [], {
    isAffected: (event) => event.kind === 'credits',
  })
  const usage = useLoaded((signal) => farm.credits.usage(days, { signal }), [])
  const ledger = useLoaded(
    (signal) =>
      caller.ask('GET /api/credits/transactions', {
        signal,
        query: { page, pageSize, ...(kind && { kind }) },
      }),
    [kind, page],
    { isAffected: (event) => event.kind === 'credits' },
  )
  const go = (next: { kind?: string | undefined; page?: number }) => {
    const given = new URLSearchParams()
    if (next.kind) given.set('kind', next.kind)
    if (next.page && next.page > 1) given.set('page', String(next.page))
    route(`/credits${given.size > 0 ? `?${given}` : ''}`)
  }
  const saveCsv = async () => {
    const csv = await act(
      () => farm.credits.transactionsCsv(kind && { kind }),
      'The ledger is saved.',
    )
    if (csv !== undefined) save(csv, { name: 'credits.csv', type: 'text/csv' })
  }
  return (
    <Page
      title="Credits"
      commands={() => [
        { action: 'saveTransactions', query: { kind } },
        { action: 'listTransactions', query: { kind, page, pageSize } },
        { action: 'readBalance' },
        { action: 'readUsage', query: { days } },
      ]}
      actions={
        <button type="button" onClick={saveCsv}>
          Ledger as CSV
        </button>
      }
    >
      <div class="figures">
        <Shown of={balance}>
          {(now) => (
            <>
              <Figure name="Can be spent" value={count(now.available)} />
              <Figure name="Held for running jobs" value={count(now.reserved)} />
              <Figure name="Owned" value={count(now.balance)} />
            </>
          )}
        </Shown>
        <Shown of={usage}>
          {(used) =>
            used.credits > 0 && balance.data ? (
              <Figure
                name="Lasts, at the present use"
                value={lastsFor(balance.data.available, { spent: used.credits, days })}
              />
            ) : null
          }
        </Shown>
      </div>
      <Shown of={usage}>
        {(used) => (
          <Card title={`${credits(used.credits)} spent in ${days} days`}>
            <DayBars days={used.days} count={days} />
          </Card>
        )}
      </Shown>
      <Card
        title="Ledger"
        aside={
          <label>
            <span class="hidden">Kind</span>
            <select
              value={kind ?? ''}
              onChange={(event) => go({ kind: event.currentTarget.value })}
            >
              <option value="">All kinds</option>
              {creditKinds.map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </label>
        }
      >
        <Shown of={ledger}>
          {({ transactions, total }) =>
            total === 0 ? (
              <Empty>Nothing was booked.</Empty>
            ) : (
              <>
                {transactions.length > 0 && (
                  <div class="wide">
                    <table>
                      <thead>
                        <tr>
                          <th scope="col">When</th>
                          <th scope="col">Kind</th>
                          {['Owned', 'Held', 'Balance'].map((name) => (
                            <th key={name} scope="col" class="number">
                              {name}
                            </th>
                          ))}
                          <th scope="col">For</th>
                        </tr>
                      </thead>
                      <tbody>
                        {transactions.map((entry) => (
                          <tr key={entry.id}>
                            <td>
                              <Time at={entry.createdAt} />
                            </td>
                            <td>{entry.kind}</td>
                            <td class="number">{signed(entry.balanceChange)}</td>
                            <td class="number">{signed(entry.reservedChange)}</td>
                            <td class="number">{count(entry.balance)}</td>
                            <td dir="auto">
                              {entry.jobId && <a href={`/jobs/${entry.jobId}`}>job</a>}{' '}
                              {entry.bulkId && <a href={`/bulks/${entry.bulkId}`}>bulk</a>}{' '}
                              {entry.note}
                            </td>
                          </tr>
                        ))}
                      </tbody>
                    </table>
                  </div>
                )}
                <Pages
                  label="Pages of the ledger"
                  {...{ page, pageSize, total }}
                  onGo={(next) => go({ kind, page: next })}
                />
              </>
            )
          }
        </Shown>
      </Card>
    </Page>
  )
}

const signed = (value: number) => (value > 0 ? `+${count(value)}` : value === 0 ? '' : count(value))
