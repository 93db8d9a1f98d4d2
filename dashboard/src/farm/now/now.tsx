import { findFaults, runbookOf } from '../../../../core/alerts/findings.ts'
import { jainIndex } from '../../../../core/queue/shares.ts'
import { Card, Figure, Page, Shown } from '../../ui/parts.tsx'
import { count, counted, duration } from '../../words/format.ts'
import { read } from '../api/operator-api.ts'
import { seldomMs, usePolled } from '../api/use-polled.ts'
import { poolName } from '../nodes/node-facts.ts'
import { Acts } from '../ui/acts.tsx'
import { WideTable } from '../ui/wide-table.tsx'
import { type Figures, totals } from './totals.ts'

const actsShown = 8

/** Health of the farm at this moment, and what its operators did last. */
export function Now() {
  const figures = usePolled((signal) => read('GET /api/operator/figures', { signal }), [])
  const acts = usePolled(
    (signal) => read('GET /api/operator/audit', { query: { limit: actsShown }, signal }),
    [],
    seldomMs,
  )
  return (
    <Page title="Now">
      <Shown of={figures}>
        {(data) => (
          <>
            <Health figures={data} />
            <Totals figures={data} />
            <div class="farm-pair">
              <QueueTable figures={data} />
              <NodeTable figures={data} />
            </div>
          </>
        )}
      </Shown>
      <Card title="Last acts" aside={<a href="/farm/audit">All acts</a>}>
        <Shown of={acts}>{(data) => <Acts acts={data.acts} hasSubject />}</Shown>
      </Card>
    </Page>
  )
}

function Health({ figures }: { figures: Figures }) {
  const found = findFaults(figures)
  if (found.length === 0) return <p class="health good">The farm is healthy.</p>
  return (
    <section class="fault-list warn" aria-label="What is wrong">
      <h2>{counted(found.length, 'thing')} to look at</h2>
      <ul>
        {found.map(({ alert, words }) => (
          <li key={alert + words}>
            <b dir="auto">{words}</b>{' '}
            <span class="quiet">
              {alert}, runbook <code>{runbookOf(alert)}</code>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Totals({ figures }: { figures: Figures }) {
  const { queued, unmatched, oldest, running, nodes, known, slots, jobs } = totals(figures)
  const { shares, outbox, deliveries } = figures
  const shown: readonly (readonly [name: string, value: string])[] = [
    ['Nodes that take work', `${count(nodes)} of ${count(known)}`],
    ['Slots busy', `${count(running)} of ${count(slots)}`],
    ['Tasks queued', count(queued)],
    ['No node can take', count(unmatched)],
    ['Oldest task', queued > 0 ? duration(oldest) : '–'],
    ['Open jobs', count(jobs)],
    ['Fairness (Jain)', shares.length > 1 ? jainIndex(shares).toFixed(2) : '–'],
    ['Webhooks pending', count(deliveries.pending)],
    ['Events unsent', count(outbox.unsent)],
  ]
  return (
    <div class="figures many">
      {shown.map(([name, value]) => (
        <Figure key={name} name={name} value={value} />
      ))}
    </div>
  )
}

function QueueTable({ figures: { queues, leases } }: { figures: Figures }) {
  const isEmpty = queues.length === 0 && leases.length === 0
  return (
    <Card title="Queue" aside={<a href="/farm/queue">Why they wait</a>}>
      {isEmpty ? (
        <p class="quiet">Nothing waits or runs.</p>
      ) : (
        <WideTable label="Tasks by kind" head={['Kind', 'Pool', 'Tasks', 'Oldest']}>
          {queues.map(({ pool, kind, tasks, oldestSeconds }) => (
            <tr key={`queued ${pool} ${kind}`}>
              <td>{kind}</td>
              <td dir="auto">{pool ?? 'any'}</td>
              <td>{count(tasks)} queued</td>
              <td>{duration(oldestSeconds)}</td>
            </tr>
          ))}
          {leases.map(({ pool, kind, running }) => (
            <tr key={`running ${pool} ${kind}`}>
              <td>{kind}</td>
              <td dir="auto">{poolName(pool)}</td>
              <td>{count(running)} running</td>
              <td>–</td>
            </tr>
          ))}
        </WideTable>
      )}
    </Card>
  )
}

function NodeTable({ figures: { nodes } }: { figures: Figures }) {
  return (
    <Card title="Nodes" aside={<a href="/farm/nodes">All nodes</a>}>
      {nodes.length === 0 ? (
        <p class="quiet">No node has joined within the hour.</p>
      ) : (
        <WideTable label="Nodes by state" head={['Pool', 'State', 'Nodes', 'Slots']}>
          {nodes.map(({ pool, state, nodes: each, slots }) => (
            <tr key={`${pool} ${state}`}>
              <td dir="auto">{poolName(pool)}</td>
              <td>{state}</td>
              <td>{count(each)}</td>
              <td>{count(slots)}</td>
            </tr>
          ))}
        </WideTable>
      )}
    </Card>
  )
}
