import { Card, Empty, Page, Shown } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { read } from '../api/operator-api.ts'
import { usePolled } from '../api/use-polled.ts'
import { Acts } from '../ui/acts.tsx'
import { NodeChanges } from './node-changes.tsx'

/** Nodes that failed what others could do: why, and what their canaries measured. */
export function Quarantines() {
  const list = usePolled((signal) => read('GET /api/operator/quarantines', { signal }), [])
  return (
    <Page
      title="Quarantines"
      lead="A quarantined node gets only canaries; the first that passes brings it back."
    >
      <Shown of={list}>
        {({ nodes }) =>
          nodes.length === 0 ? (
            <Empty>
              <h2>No node is quarantined</h2>
              <a href="/farm/nodes">Show all nodes</a>
            </Empty>
          ) : (
            nodes.map((node) => (
              <Card
                key={node.id}
                title={node.name}
                aside={
                  <span class="actions">
                    <NodeChanges nodes={[node]} onDone={list.reload} />
                  </span>
                }
              >
                <p>
                  <bdi>{node.stateReason}</bdi>, <Time at={node.stateSince} />.{' '}
                  <a href={`/farm/nodes/${node.id}`}>Its attempts</a>
                </p>
                <Acts acts={node.history} />
              </Card>
            ))
          )
        }
      </Shown>
    </Page>
  )
}
