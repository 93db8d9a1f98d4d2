import { FarmState } from '../ui/farm-state.tsx'
import { type FarmNode, poolName, poolOf, slotsOf, stateOf } from './node-facts.ts'

const mostShown = 600

/** A small card for each node, pool by pool. */
export function NodeGrid({ nodes }: { nodes: readonly FarmNode[] }) {
  const pools = Map.groupBy(nodes.slice(0, mostShown), poolOf)
  return (
    <>
      {[...pools]
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([pool, inside]) => (
          <section key={pool} class="card" aria-label={`Pool ${poolName(pool)}`}>
            <h2 dir="auto">
              {poolName(pool)} <span class="quiet">{inside.length}</span>
            </h2>
            <ul class="node-grid">
              {inside.map((node) => (
                <li key={node.id}>
                  <a href={`/farm/nodes/${node.id}`} class="node-card">
                    <span dir="auto">{node.name}</span>
                    <FarmState of={stateOf(node)} />
                    <span class="quiet">
                      {node.running} of {slotsOf(node)}
                    </span>
                  </a>
                </li>
              ))}
            </ul>
          </section>
        ))}
      {nodes.length > mostShown && (
        <p class="quiet">
          The first {mostShown} of {nodes.length}: search, or choose a pool, to see the others.
        </p>
      )}
    </>
  )
}
