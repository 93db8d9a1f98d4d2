import { duration } from '../../words/format.ts'
import { FarmState } from '../ui/farm-state.tsx'
import { type FarmNode, listOf, poolName, poolOf, slotsOf, stateOf } from './node-facts.ts'

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
            {[`pool ${poolName(poolOf(node))}`, pause || stateReason].filter(Boolean).join(' · ')}
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
      <td class="cell-more">{node.usage ? `${Math.round(node.usage.cpu * 100)} %` : '–'}</td>
      <td class="cell-wide quiet">
        {[listOf(node, 'canvas'), listOf(node, 'device')].filter(Boolean).join(' · ')}
      </td>
      <td class="cell-more quiet">{duration(silentSeconds)}</td>
    </>
  )
}
