import { useState } from 'preact/hooks'
import { Card, Shown } from '../../ui/parts.tsx'
import { State } from '../../ui/state.tsx'
import { Time } from '../../ui/time.tsx'
import { counted } from '../../words/format.ts'
import { change, read } from '../api/operator-api.ts'
import type { Reply } from '../api/reply.ts'
import { seldomMs, usePolled } from '../api/use-polled.ts'
import { ChangeButton } from '../ui/change-button.tsx'

type Listed = Reply<'GET /api/operator/accounts/{account}/webhooks'>

/** The account's endpoints, what waits for them, and their latest deliveries on demand. */
export function Webhooks({ account }: { account: string }) {
  const [open, setOpen] = useState<string>()
  const loaded = usePolled(
    (signal) => read('GET /api/operator/accounts/{account}/webhooks', { account, signal }),
    [account],
    seldomMs,
  )
  return (
    <Card title="Webhooks">
      <Shown of={loaded}>
        {({ webhooks, pending }) => (
          <>
            {webhooks.length === 0 && <p class="quiet">No endpoints.</p>}
            <ul class="rows">
              {webhooks.map((each) => (
                <li key={each.id} class="row">
                  <span class="row-name">
                    <b dir="auto">{each.url}</b>
                    <span class="quiet">
                      {each.events.join(', ')};{' '}
                      {counted(each.exhaustedInRow, 'delivery', 'deliveries')} given up in a row
                    </span>
                  </span>
                  <State of={each.status} />
                  <button
                    type="button"
                    aria-expanded={open === each.id}
                    onClick={() => setOpen(open === each.id ? undefined : each.id)}
                  >
                    Deliveries
                  </button>
                  {each.status === 'active' && (
                    <Stop account={account} id={each.publicId ?? each.id} onDone={loaded.reload} />
                  )}
                  {open === each.id && (
                    <Deliveries account={account} webhook={each.publicId ?? each.id} />
                  )}
                </li>
              ))}
            </ul>
            <Pending pending={pending} />
          </>
        )}
      </Shown>
    </Card>
  )
}

function Pending({ pending }: Pick<Listed, 'pending'>) {
  if (pending.length === 0) return null
  return (
    <ul class="effects">
      {pending.map((each) => (
        <li key={each.target}>
          {counted(each.pending, 'delivery', 'deliveries')} to <bdi>{each.target}</bdi>,{' '}
          {each.failing} failing, the oldest of <Time at={each.oldest} />
        </li>
      ))}
    </ul>
  )
}

function Stop({ account, id, onDone }: { account: string; id: string; onDone: () => void }) {
  return (
    <ChangeButton
      needs="operator"
      label="Stop"
      hint={`Stop ${id}`}
      title={`Stop ${id}`}
      done="Stopped"
      command={`farm webhooks stop ${account} ${id}`}
      send={({ why }) =>
        change('POST /api/operator/accounts/{account}/webhooks/{webhook}/stop', {
          ...{ account, webhook: id, body: { why } },
        })
      }
      onDone={onDone}
    >
      <p>It gets no deliveries until its account enables it, or the delivery ends unsent.</p>
    </ChangeButton>
  )
}

function Deliveries({ account, webhook }: { account: string; webhook: string }) {
  const loaded = usePolled(
    (signal) =>
      read('GET /api/operator/accounts/{account}/webhooks/{webhook}', { account, webhook, signal }),
    [account, webhook],
    seldomMs,
  )
  return (
    <div class="deliveries-of">
      <Shown of={loaded}>
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <p class="quiet">None yet.</p>
          ) : (
            <ul class="rows">
              {deliveries.map((each) => (
                <li key={each.id} class="row">
                  <span class="row-name">
                    {each.event}
                    <span class="quiet" dir="auto">
                      {counted(each.attempts.length, 'attempt')} {each.failedReason}
                    </span>
                  </span>
                  <State of={each.status} />
                  <span class="quiet row-time">
                    <Time at={each.createdAt} />
                  </span>
                  {each.status === 'pending' ? (
                    <Stop account={account} id={each.id} onDone={loaded.reload} />
                  ) : (
                    <ChangeButton
                      needs="operator"
                      label="Send again"
                      title="Send the delivery again"
                      done="It is sent again, under a new id"
                      command={`farm webhooks redeliver ${account} ${each.id}`}
                      send={({ why }) =>
                        change(
                          'POST /api/operator/accounts/{account}/deliveries/{delivery}/redeliver',
                          { account, delivery: each.id, body: { why } },
                        )
                      }
                      onDone={loaded.reload}
                    />
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </div>
  )
}
