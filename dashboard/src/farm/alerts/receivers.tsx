import { useState } from 'preact/hooks'
import { noticeForms } from '../../../../core/alerts/notice.ts'
import { Card, Empty, Shown } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { change, read } from '../api/operator-api.ts'
import type { Reply } from '../api/reply.ts'
import { usePolled } from '../api/use-polled.ts'
import { ChangeButton } from '../ui/change-button.tsx'
import { quoted } from '../ui/quoted.ts'
import { WideTable } from '../ui/wide-table.tsx'

type Receiver = Reply<'GET /api/operator/receivers'>['receivers'][number]

/** Receivers of alerts, with the outcome of the last notice. */
export function Receivers() {
  const loaded = usePolled((signal) => read('GET /api/operator/receivers', { signal }), [])
  return (
    <Card title="Receivers" aside={<AddReceiver onDone={loaded.reload} />}>
      <Shown of={loaded}>
        {({ receivers }) =>
          receivers.length === 0 ? (
            <Empty>
              Nobody hears of alerts. Add a channel of Slack, a service of PagerDuty or a program.
            </Empty>
          ) : (
            <WideTable
              label="Receivers of alerts"
              head={['Name', 'Form', 'Host', 'Hears', 'Last notice', 'Change']}
            >
              {receivers.map((each) => (
                <ReceiverRow key={each.id} receiver={each} onDone={loaded.reload} />
              ))}
            </WideTable>
          )
        }
      </Shown>
    </Card>
  )
}

function ReceiverRow({ receiver, onDone }: { receiver: Receiver; onDone: () => void }) {
  const { name, form, host, onlyPages } = receiver
  const common = { needs: 'admin', onDone } as const
  return (
    <tr>
      <td dir="auto">{name}</td>
      <td>{form}</td>
      <td dir="auto">{host}</td>
      <td>{onlyPages ? 'pages' : 'all'}</td>
      <td>
        <Outcome receiver={receiver} />
      </td>
      <td>
        <div class="actions">
          <ChangeButton
            {...common}
            needs="operator"
            label="Test"
            hint={`Test ${name}`}
            title={`Send ${name} a test`}
            done={`A test is on its way to ${name}`}
            command={`farm receivers test ${quoted(name)}`}
            send={({ why }) =>
              change('POST /api/operator/receivers/{receiver}/test', {
                ...{ receiver: receiver.id, body: { why } },
              })
            }
          />
          <ChangeButton
            {...common}
            kind="danger"
            label="Remove"
            hint={`Remove ${name}`}
            title={`Remove ${name}`}
            done={`${name} hears of nothing more`}
            command={`farm receivers remove ${quoted(name)}`}
            send={({ why }) =>
              change('POST /api/operator/receivers/{receiver}/remove', {
                ...{ receiver: receiver.id, body: { why } },
              })
            }
          >
            <p>Its address is forgotten, and notices that wait are not sent.</p>
          </ChangeButton>
        </div>
      </td>
    </tr>
  )
}

function Outcome({ receiver: { lastSentAt, lastError, waiting } }: { receiver: Receiver }) {
  if (lastError !== null) {
    return (
      <span class="bad" dir="auto">
        {lastError}
      </span>
    )
  }
  if (waiting > 0) return <span>{waiting} to send</span>
  return lastSentAt === null ? <span class="quiet">none yet</span> : <Time at={lastSentAt} />
}

function AddReceiver({ onDone }: { onDone: () => void }) {
  const [secret, setSecret] = useState<string>()
  return (
    <>
      <ChangeButton
        needs="admin"
        label="Add"
        hint="Add a receiver"
        title="Add a receiver"
        done="The receiver is added"
        command={(given) =>
          `farm receivers add ${quoted(String(given?.get('name') || '…'))} --form ${given?.get('form') ?? 'slack'}${given?.has('pages') ? ' --only-pages' : ''} < secret.txt`
        }
        send={async ({ why, given }) => {
          const form = noticeForms.find((each) => each === given.get('form')) ?? 'slack'
          const typed = String(given.get('secret'))
          const address = form === 'pagerduty' ? { key: typed } : { url: typed }
          const name = String(given.get('name'))
          const body = { name, form, onlyPages: given.has('pages'), why, ...address }
          const added = await change('POST /api/operator/receivers', { body })
          setSecret(added.secret ?? undefined)
        }}
        onDone={onDone}
      >
        <label>
          Name
          <input name="name" required maxLength={100} autocomplete="off" />
        </label>
        <label>
          Form
          <select name="form">
            <option value="slack">Slack: incoming webhook</option>
            <option value="pagerduty">PagerDuty: Events API v2</option>
            <option value="json">A program of yours: signed JSON</option>
          </select>
        </label>
        <label>
          Address (https), or PagerDuty’s routing key
          <input name="secret" required maxLength={2000} autocomplete="off" />
        </label>
        <label class="check">
          <input name="pages" type="checkbox" /> Only alerts that wake somebody
        </label>
      </ChangeButton>
      {secret !== undefined && (
        <p role="status">
          Its signatures’ secret, shown this once: <code>{secret}</code>
        </p>
      )}
    </>
  )
}
