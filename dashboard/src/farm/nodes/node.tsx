import { useRoute } from 'preact-iso'
import { Copy } from '../../ui/copy.tsx'
import { Card, Figure, Page, Shown } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { count, duration } from '../../words/format.ts'
import { read } from '../api/operator-api.ts'
import { usePolled } from '../api/use-polled.ts'
import { Acts } from '../ui/acts.tsx'
import { Attempts } from '../ui/attempts.tsx'
import { FarmState } from '../ui/farm-state.tsx'
import { NodeChanges } from './node-changes.tsx'
import { type FarmNode, listOf, poolName, poolOf, slotsOf, stateOf } from './node-facts.ts'

/** One node: what it does, what it offers, its latest attempts and what was done to it. */
export function NodePage() {
  const { node = '' } = useRoute().params
  const loaded = usePolled(
    (signal) => read('GET /api/operator/nodes/{node}', { node, signal }),
    [node],
  )
  const { data, reload } = loaded
  return (
    <Page
      title={data?.name ?? 'Node'}
      lead={data && <Since node={data} />}
      actions={data && <NodeChanges nodes={[data]} onDone={reload} />}
    >
      <Shown of={loaded}>
        {(shown) => (
          <>
            <div class="figures many">
              <Figure name="Tasks" value={`${shown.running} of ${slotsOf(shown)}`} />
              <Figure name="Succeeded, 1 h" value={count(shown.succeeded)} />
              <Figure name="Failed, 1 h" value={count(shown.failed)} />
              <Figure name="Spoke" value={`${duration(shown.silentSeconds)} ago`} />
              {usage(shown).map(([name, value]) => (
                <Figure key={name} name={name} value={value} />
              ))}
            </div>
            <Card title="Offer">
              <dl class="facts">
                {facts(shown).map(([name, value]) => (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd dir="auto">{value || '–'}</dd>
                  </div>
                ))}
              </dl>
            </Card>
            <Card title="Latest attempts">
              <Attempts attempts={shown.attempts} of="node" />
            </Card>
            <Card title="On record">
              <Acts acts={shown.history} />
            </Card>
            <div class="actions">
              <Copy text={`farm nodes show ${shown.id}`} label="Copy as farm" />
            </div>
          </>
        )}
      </Shown>
    </Page>
  )
}

function Since({ node }: { node: FarmNode }) {
  return (
    <span class="since">
      <FarmState of={stateOf(node)} /> since <Time at={node.stateSince} />
      <span dir="auto">{node.pause || node.stateReason}</span>
    </span>
  )
}

/** Processor, memory and disk, as the node told them last. */
function usage({ usage: told }: FarmNode): readonly (readonly [name: string, value: string])[] {
  if (!told) return []
  const gigabytes = (mb: number) => (mb / 1000).toFixed(1)
  return [
    ['Processor', `${Math.round(told.cpu * 100)} %`],
    ['Memory, GB', `${gigabytes(told.memoryUsedMb)} of ${gigabytes(told.memoryMb)}`],
    ['Disk, GB', `${gigabytes(told.diskUsedMb)} of ${gigabytes(told.diskMb)}`],
  ]
}

function facts(node: FarmNode): readonly (readonly [name: string, value: string])[] {
  return [
    ['Pool', poolName(poolOf(node))],
    ['Version', node.version],
    ['Does', listOf(node, 'kinds')],
    ['Encodes with', listOf(node, 'encoders')],
    ['Paints with', listOf(node, 'canvas')],
    ['GPU', listOf(node, 'device')],
    ['Segments at once', listOf(node, 'lanes')],
    ['Memory, MB', listOf(node, 'memoryMb')],
    ['GPU memory, MB', listOf(node, 'gpuMemoryMb')],
    ['Encoder sessions', listOf(node, 'encoderSessions')],
    ['Tags', listOf(node, 'tags')],
    ['Id', node.id],
  ]
}
