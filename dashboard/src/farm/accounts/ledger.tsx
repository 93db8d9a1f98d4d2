import { Card, Shown } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { count } from '../../words/format.ts'
import { read } from '../api/operator-api.ts'
import { usePolled } from '../api/use-polled.ts'
import { WideTable } from '../ui/wide-table.tsx'

/** The latest entries of the ledger; read again when the balance has changed. */
export function Ledger({ account, balance }: { account: string; balance: number }) {
  const loaded = usePolled(
    (signal) => read('GET /api/operator/accounts/{account}/credits', { account, signal }),
    [account, balance],
    0,
  )
  return (
    <Card title="Ledger, the latest entries">
      <Shown of={loaded}>
        {({ entries }) => (
          <WideTable
            label="Ledger entries"
            head={['Time', 'Kind', 'Owned', 'Held', 'Balance', 'For']}
            numbers={['Owned', 'Held', 'Balance']}
          >
            {entries.map((entry) => (
              <tr key={entry.id}>
                <td>
                  <Time at={entry.createdAt} />
                </td>
                <td>{entry.kind}</td>
                <td class="number">{entry.balanceChange ? count(entry.balanceChange) : ''}</td>
                <td class="number">{entry.reservedChange ? count(entry.reservedChange) : ''}</td>
                <td class="number">{count(entry.balance)}</td>
                <td dir="auto">
                  {entry.jobId ? <a href={`/farm/jobs/${entry.jobId}`}>Job</a> : entry.note}
                </td>
              </tr>
            ))}
          </WideTable>
        )}
      </Shown>
    </Card>
  )
}
