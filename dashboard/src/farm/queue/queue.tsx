import { Card, Empty, Page, Shown } from '../../ui/parts.tsx'
import { count, duration } from '../../words/format.ts'
import { read } from '../api/operator-api.ts'
import { usePolled } from '../api/use-polled.ts'
import { WideTable } from '../ui/wide-table.tsx'
import { asksFor, type Lane, whyWaiting } from './why-waiting.ts'

/** Waiting tasks by account and kind, each with the reason for its wait. */
export function Queue() {
  const list = usePolled((signal) => read('GET /api/operator/queue', { signal }), [])
  return (
    <Page title="Queue" lead="Waiting tasks by account and what they ask of a node">
      <Shown of={list}>
        {({ lanes }) =>
          lanes.length === 0 ? (
            <Empty>
              <h2>Nothing waits</h2>
              <a href="/farm/jobs">Show the jobs</a>
            </Empty>
          ) : (
            <Card title="Lanes">
              <WideTable
                label="Waiting tasks"
                head={['Account', 'Kind', 'Queued', 'Running', 'Oldest', 'Why it waits']}
              >
                {lanes.map((lane) => (
                  <LaneRow key={`${lane.accountId} ${lane.kind} ${asksFor(lane)}`} lane={lane} />
                ))}
              </WideTable>
            </Card>
          )
        }
      </Shown>
    </Page>
  )
}

function LaneRow({ lane }: { lane: Lane }) {
  const isStuck = lane.missing.length > 0 || lane.limits.length > 0
  return (
    <tr>
      <td>
        <a href={`/farm/accounts/${lane.accountId}`} dir="auto">
          {lane.account}
        </a>
      </td>
      <td>
        {lane.kind}
        <span class="quiet asks" dir="auto">
          {asksFor(lane)}
        </span>
      </td>
      <td>{count(lane.queued)}</td>
      <td>{count(lane.running)}</td>
      <td>{duration(lane.waitSeconds)}</td>
      <td class={isStuck ? 'bad' : 'quiet'}>
        {whyWaiting(lane).map((reason) => (
          <span key={reason} class="reason" dir="auto">
            {reason}
          </span>
        ))}
      </td>
    </tr>
  )
}
