import { Card, Empty, Page, Shown } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { counted } from '../../words/format.ts'
import { change, read } from '../api/operator-api.ts'
import type { Reply } from '../api/reply.ts'
import { usePolled } from '../api/use-polled.ts'
import { poolName } from '../nodes/node-facts.ts'
import { ChangeButton } from '../ui/change-button.tsx'
import { quoted } from '../ui/quoted.ts'
import { WideTable } from '../ui/wide-table.tsx'

type Window = Reply<'GET /api/operator/maintenance'>['windows'][number]

/** Times at which nodes or pools take no work, to come and past. */
export function Maintenance() {
  const loaded = usePolled((signal) => read('GET /api/operator/maintenance', { signal }), [])
  return (
    <Page
      title="Maintenance"
      lead="A window cordons its nodes at its beginning, and uncordons them at its end, by itself."
      actions={<AddWindow onDone={loaded.reload} />}
    >
      <Shown of={loaded}>
        {({ windows }) => (
          <Card title="Windows">
            {windows.length === 0 ? (
              <Empty>No window is planned, and none has been.</Empty>
            ) : (
              <WideTable
                label="Maintenance windows"
                head={['Of', 'State', 'From', 'To', 'Reason', 'By', 'Change']}
              >
                {windows.map((each) => (
                  <WindowRow key={each.id} window={each} onDone={loaded.reload} />
                ))}
              </WideTable>
            )}
          </Card>
        )}
      </Shown>
    </Page>
  )
}

const objectOf = ({ node, nodeId, pool }: Window) =>
  nodeId === null ? `pool ${poolName(pool ?? '')}` : (node ?? nodeId)

function stateOf({ endedAt, cancelledAt, beganAt, cordoned }: Window): string {
  if (cancelledAt !== null) return 'cancelled'
  if (endedAt !== null) return 'over'
  return beganAt === null ? 'to come' : `goes on, ${counted(cordoned, 'node')} cordoned`
}

function WindowRow({ window, onDone }: { window: Window; onDone: () => void }) {
  const of = objectOf(window)
  const isOpen = window.endedAt === null && window.cancelledAt === null
  return (
    <tr>
      <td dir="auto">{of}</td>
      <td class="whole">{stateOf(window)}</td>
      <td>
        <Time at={window.startsAt} />
      </td>
      <td>
        <Time at={window.endsAt} />
      </td>
      <td dir="auto">{window.why}</td>
      <td dir="auto">{window.madeBy}</td>
      <td>
        {isOpen && (
          <ChangeButton
            needs="operator"
            label="Cancel"
            hint={`Cancel the window of ${of}`}
            title={`Cancel the window of ${of}`}
            done="The window is cancelled"
            command={`farm maintenance cancel ${window.id}`}
            send={({ why }) =>
              change('POST /api/operator/maintenance/{window}/cancel', {
                ...{ window: window.id, body: { why } },
              })
            }
            onDone={onDone}
          >
            <p>Nodes that it has cordoned take work again within a second.</p>
          </ChangeButton>
        )}
      </td>
    </tr>
  )
}

/** Returns the time of a field as the command and the API want it, in UTC. */
function timeIn(given: FormData | undefined, name: string): string | undefined {
  const typed = String(given?.get(name) ?? '')
  return typed === '' ? undefined : new Date(typed).toISOString()
}

const isPool = (given: FormData | undefined) => given?.get('kind') !== 'node'
const named = (given: FormData | undefined) => String(given?.get('of') ?? '').trim()

function commandOf(given: FormData | undefined): string {
  const of = named(given)
  const pool = of === '' ? '--no-pool' : `--pool ${quoted(of)}`
  const target = isPool(given) ? pool : `--node ${quoted(of || '…')}`
  const from = timeIn(given, 'from')
  return `farm maintenance add ${target}${from ? ` --from ${from}` : ''} --to ${timeIn(given, 'to') ?? '…'}`
}

function AddWindow({ onDone }: { onDone: () => void }) {
  return (
    <ChangeButton
      needs="operator"
      kind="primary"
      label="Plan a window"
      title="Plan a maintenance window"
      done="The window is planned"
      command={commandOf}
      send={({ why, given }) => {
        const from = timeIn(given, 'from')
        const target = isPool(given) ? { pool: named(given) } : { node: named(given) }
        const body = { ...target, ...(from && { from }), to: timeIn(given, 'to') ?? '', why }
        return change('POST /api/operator/maintenance', { body })
      }}
      onDone={onDone}
    >
      <label>
        Of
        <select name="kind">
          <option value="pool">a pool, with nodes that join it</option>
          <option value="node">one node</option>
        </select>
      </label>
      <label>
        Its name (no name: nodes without a pool)
        <input name="of" maxLength={200} autocomplete="off" />
      </label>
      <label>
        From, your time (nothing: now)
        <input name="from" type="datetime-local" />
      </label>
      <label>
        To, your time
        <input name="to" type="datetime-local" required />
      </label>
      <p>Running tasks end as usual. A node that somebody uncordons meanwhile is left alone.</p>
    </ChangeButton>
  )
}
