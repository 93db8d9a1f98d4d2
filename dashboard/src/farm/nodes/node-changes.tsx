import { type NodeAct, nodeActs } from '../../../../core/fleet/node-states.ts'
import { counted } from '../../words/format.ts'
import { change, read } from '../api/operator-api.ts'
import { usePolled } from '../api/use-polled.ts'
import { ChangeButton } from '../ui/change-button.tsx'
import { quoted } from '../ui/quoted.ts'
import { stopEffect } from './drain-effect.ts'
import { type FarmNode, poolName } from './node-facts.ts'

type Act = Extract<NodeAct, 'cordon' | 'uncordon' | 'drain' | 'release'>

const acts: Readonly<Record<Act, { name: string; done: string; says: string }>> = {
  cordon: {
    name: 'Cordon',
    done: 'cordoned',
    says: 'No new tasks start there. What runs ends by itself.',
  },
  drain: {
    name: 'Drain',
    done: 'draining',
    says: 'No new tasks start there. What still runs after a minute is taken back.',
  },
  uncordon: { name: 'Uncordon', done: 'active again', says: 'Tasks start there again.' },
  release: {
    name: 'Release',
    done: 'released',
    says: 'Tasks start there again, without a canary that passed.',
  },
}

/** Buttons for what the states of all the nodes allow. */
export function NodeChanges({ nodes, onDone }: { nodes: readonly FarmNode[]; onDone: () => void }) {
  const allowed = (Object.keys(acts) as Act[]).filter(
    (act) => nodes.length > 0 && nodes.every(({ state }) => nodeActs[act].from.includes(state)),
  )
  const shown = nodes.length === 1 ? (nodes[0]?.name ?? '') : counted(nodes.length, 'node')
  return (
    <>
      {allowed.map((act) => (
        <ChangeButton
          key={act}
          needs="operator"
          label={acts[act].name}
          title={`${acts[act].name} ${shown}`}
          done={`${shown}: ${acts[act].done}`}
          command={nodes.map(({ name }) => `farm nodes ${act} ${quoted(name)}`)}
          kind={act === 'drain' ? 'danger' : 'plain'}
          send={({ why }) =>
            change(`POST /api/operator/nodes/${act}`, {
              body: { nodes: nodes.map(({ id }) => id), why },
            })
          }
          onDone={onDone}
        >
          <p>{acts[act].says}</p>
          {(act === 'drain' || act === 'cordon') && (
            <Effect nodes={nodes} isDrain={act === 'drain'} />
          )}
        </ChangeButton>
      ))}
    </>
  )
}

/** Says how many tasks run there, and what is left of each pool. */
function Effect({ nodes, isDrain }: { nodes: readonly FarmNode[]; isDrain: boolean }) {
  const all = usePolled(async (signal) => {
    const [fleet, pools] = await Promise.all([
      read('GET /api/operator/nodes', { signal }),
      read('GET /api/operator/pools', { signal }),
    ])
    return { ...fleet, ...pools }
  }, [])
  if (!all.data) return <p class="quiet">…</p>
  const ids = new Set(nodes.map(({ id }) => id))
  const now = all.data.nodes.filter(({ id }) => ids.has(id))
  const { tasks, pools } = stopEffect(now, all.data)
  return (
    <ul class="effects">
      <li>
        {tasks === 0
          ? 'Nothing runs there now.'
          : `${counted(tasks, 'task')} ${tasks === 1 ? 'runs' : 'run'} there now${isDrain ? '; what runs on goes back to the queue.' : '.'}`}
      </li>
      {pools.map(({ pool, slotsBefore, slotsAfter, running, limit }) => (
        <li key={pool} class={slotsAfter === 0 ? 'bad' : undefined}>
          Pool <b dir="auto">{poolName(pool)}</b>: {slotsBefore} → {slotsAfter} slots, {running}{' '}
          busy
          {slotsAfter === 0 && '. Nothing of it is left'}
          {limit !== null && `. It falls under its limit of ${limit}`}
        </li>
      ))}
    </ul>
  )
}
