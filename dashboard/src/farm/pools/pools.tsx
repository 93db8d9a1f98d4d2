import { poolState } from '../../../../core/fleet/pool-state.ts'
import { Card, Page, Shown } from '../../ui/parts.tsx'
import { count } from '../../words/format.ts'
import { change, read } from '../api/operator-api.ts'
import type { Reply } from '../api/reply.ts'
import { usePolled } from '../api/use-polled.ts'
import { poolName } from '../nodes/node-facts.ts'
import { ChangeButton } from '../ui/change-button.tsx'
import { quoted } from '../ui/quoted.ts'
import { WideTable } from '../ui/wide-table.tsx'

type Pool = Reply<'GET /api/operator/pools'>['pools'][number]

/** Every pool with its nodes, slots and limit, and the whole farm. */
export function Pools() {
  const list = usePolled((signal) => read('GET /api/operator/pools', { signal }), [])
  return (
    <Page title="Pools" lead="A limit keeps tasks in the queue, however idle the nodes.">
      <Shown of={list}>
        {({ pools }) => (
          <Card title="Pools and the whole farm">
            <WideTable
              label="Pools"
              head={['Pool', 'State', 'Nodes', 'Slots', 'Running', 'Limit', 'Change']}
            >
              {pools.map((each) => (
                <tr key={each.pool ?? 'farm'}>
                  <td dir="auto">
                    {each.pool === null ? (
                      poolName(null)
                    ) : (
                      <a href={`/farm/nodes?pool=${encodeURIComponent(poolName(each.pool))}`}>
                        {poolName(each.pool)}
                      </a>
                    )}
                  </td>
                  <td class={each.nodes === 0 ? 'whole bad' : 'whole'}>{poolState(each)}</td>
                  <td>{count(each.nodes)}</td>
                  <td>{count(each.slots)}</td>
                  <td>{count(each.running)}</td>
                  <td class={each.slotsMax === null ? 'quiet' : undefined}>
                    {each.slotsMax === null ? 'none' : count(each.slotsMax)}
                  </td>
                  <td>
                    <div class="actions">
                      <LimitButtons pool={each} onDone={list.reload} />
                    </div>
                  </td>
                </tr>
              ))}
            </WideTable>
          </Card>
        )}
      </Shown>
    </Page>
  )
}

const argumentOf = ({ pool }: Pool) =>
  pool === null ? '--farm' : pool === '' ? '--no-pool' : quoted(pool)

function LimitButtons({ pool, onDone }: { pool: Pool; onDone: () => void }) {
  const name = poolName(pool.pool)
  const send = (slots: number | null) => (why: string) =>
    change('POST /api/operator/pools/limit', { body: { pool: pool.pool, slots, why } })
  return (
    <>
      <ChangeButton
        needs="operator"
        label="Limit"
        hint={`Limit ${name}`}
        title={`Limit ${name}`}
        done={`${name} is limited`}
        command={(given) =>
          `farm pools limit ${argumentOf(pool)} --slots ${given?.get('slots') || '…'}`
        }
        send={({ why, given }) => send(Number(given.get('slots')))(why)}
        onDone={onDone}
      >
        <label>
          Tasks at once
          <input
            name="slots"
            type="number"
            required
            min={0}
            max={1_000_000}
            defaultValue={pool.slotsMax ?? pool.slots}
          />
        </label>
        <p>
          {pool.running} run there now, of {pool.slots} slots. Running tasks go on; 0 stops all new
          ones.
        </p>
      </ChangeButton>
      {pool.slotsMax !== null && (
        <ChangeButton
          needs="operator"
          label="Lift"
          hint={`Lift the limit of ${name}`}
          title={`Lift the limit of ${name}`}
          done={`${name} has no limit`}
          command={`farm pools limit ${argumentOf(pool)} --slots none`}
          send={({ why }) => send(null)(why)}
          onDone={onDone}
        />
      )}
    </>
  )
}
