import { runbookOf } from '../../../../core/alerts/findings.ts'
import { Card, Empty, Page, Shown } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { read } from '../api/operator-api.ts'
import type { Reply } from '../api/reply.ts'
import { usePolled } from '../api/use-polled.ts'
import { WideTable } from '../ui/wide-table.tsx'
import { Receivers } from './receivers.tsx'

type Alert = Reply<'GET /api/operator/alerts'>['alerts'][number]

/** Alerts that go on and those of the last 30 days, and who hears of them. */
export function Alerts() {
  const loaded = usePolled((signal) => read('GET /api/operator/alerts', { signal }), [])
  return (
    <Page
      title="Alerts"
      lead="A fault that lasts rings at every receiver, and once more when it is over."
    >
      <Card title="Alerts of 30 days">
        <Shown of={loaded}>
          {({ alerts }) =>
            alerts.length === 0 ? (
              <Empty>No alert goes on, and none has within 30 days.</Empty>
            ) : (
              <WideTable label="Alerts" head={['Alert', 'Severity', 'Raised', 'Ended', 'Runbook']}>
                {alerts.map((each) => (
                  <AlertRow key={each.id} alert={each} />
                ))}
              </WideTable>
            )
          }
        </Shown>
      </Card>
      <Receivers />
    </Page>
  )
}

function AlertRow({ alert: { alert, words, severity, raisedAt, endedAt } }: { alert: Alert }) {
  return (
    <tr>
      <td>
        <span class={endedAt === null ? 'bad' : undefined} dir="auto">
          {words}
        </span>
      </td>
      <td>{severity}</td>
      <td>
        <Time at={raisedAt} />
      </td>
      <td>{endedAt === null ? 'goes on' : <Time at={endedAt} />}</td>
      <td class="quiet">
        <code>{runbookOf(alert)}</code>
      </td>
    </tr>
  )
}
