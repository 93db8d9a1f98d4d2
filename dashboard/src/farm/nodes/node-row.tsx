import { duration } from '../../words/format.ts'
import { FarmState } from '../ui/farm-state.tsx'
import {
  type FarmNode,
  listOf,
  poolName,
  poolOf,
  sharesOf,
  slotsOf,
  stateOf,
} from './node-facts.ts'

/** Cells of a node in the table. */
export function NodeRow({ node }: { node: FarmNode }) {
  const { id, name, pause, stateReason, running, succeeded, failed, silentSeconds } = node
  return (
    <>
      <td class="cell-name">
        <span class="job-name">
          <a href={`/farm/nodes/${id}`} dir="auto">
            {name}
          </a>
          <span class="quiet" dir="auto">
            {[
              `pool ${poolName(poolOf(node))}`,
              pause || stateReason,
              ...['canvas', 'device'].map((name) => listOf(node, name)),
            ]
              .filter(Boolean)
              .join(' · ')}
          </span>
        </span>
      </td>
      <td class="cell-state">
        <FarmState of={stateOf(node)} />
      </td>
      <td class="cell-more">
        {running} of {slotsOf(node)}
      </td>
      <td class="cell-more">
        <span title="succeeded in the last hour">{succeeded}</span>
        {failed > 0 && (
          <span class="bad" title="failed or lost in the last hour">
            {' '}
            −{failed}
          </span>
        )}
      </td>
      {sharesOf(node).map(([kind, share]) => (
        <td key={kind} class="cell-more">
          {share}
        </td>
      ))}
      <td class="cell-more quiet">{duration(silentSeconds)}</td>
    </>
  )
}
