import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { useLoaded } from '../live/use-loaded.ts'
import { farm } from '../session/farm.ts'
import { act } from '../ui/act.ts'
import { Checks, FormDialog } from '../ui/form-dialog.tsx'
import { Empty, Page, Shown } from '../ui/parts.tsx'
import { SecretDialog } from '../ui/secret-dialog.tsx'
import { State } from '../ui/state.tsx'
import { aDayAgo, RedeliverFailed } from './redeliver-failed.tsx'

const events = ['render.completed', 'render.failed'] as const
const strikesMost = 20

export function Webhooks() {
  const { route } = useLocation()
  const webhooks = useLoaded((signal) => farm.webhooks.list({ signal }), [])
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<{ id: string; secret: string }>()
  const create = async (given: FormData) => {
    const chosen = events.filter((name) => given.has(name))
    const webhook = await act(
      () =>
        farm.webhooks.create({
          ...{ url: String(given.get('url')), events: chosen },
          description: String(given.get('description')),
        }),
      'The webhook is made.',
    )
    if (!webhook) return
    setMaking(false)
    setMade(webhook)
  }
  return (
    <Page
      title="Webhooks"
      lead="Addresses that the farm tells, signed, when a job ends."
      commands={() => [
        { action: 'createWebhook', body: { url: 'https://example.com/hook', events } },
        { action: 'redeliverFailed', body: { since: aDayAgo() } },
        { action: 'listWebhooks' },
      ]}
      actions={
        <>
          <button type="button" class="primary" onClick={() => setMaking(true)}>
            New webhook
          </button>
          <RedeliverFailed onDone={webhooks.reload} />
        </>
      }
    >
      <Shown of={webhooks}>
        {({ webhooks: shown }) =>
          shown.length === 0 ? (
            <Empty>
              <h2>No webhooks yet</h2>
              <p>A webhook saves the polling: the farm calls when a job ends.</p>
              <button type="button" onClick={() => setMaking(true)}>
                New webhook
              </button>
            </Empty>
          ) : (
            <ul class="rows card">
              {shown.map((webhook) => (
                <li key={webhook.id} class="row">
                  <span class="row-name">
                    <a href={`/webhooks/${webhook.id}`} dir="auto">
                      {webhook.url}
                    </a>
                    <span class="quiet" dir="auto">
                      {webhook.description || webhook.events.join(', ')}
                    </span>
                  </span>
                  <span class="row-state">
                    <State of={webhook.status} />
                    {webhook.exhaustedInRow > 0 && (
                      <span class="quiet">
                        {webhook.exhaustedInRow} of {strikesMost} failures in a row
                      </span>
                    )}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
      {isMaking && (
        <FormDialog
          title="New webhook"
          submit="Make it"
          onSubmit={create}
          onClose={() => setMaking(false)}
        >
          <label>
            Address
            <input name="url" type="url" required placeholder="https://example.com/hook" />
          </label>
          <label>
            Description
            <input name="description" maxLength={200} />
          </label>
          <Checks legend="Events" names={events} />
        </FormDialog>
      )}
      {made && (
        <SecretDialog
          title="Secret of the webhook"
          secret={made.secret}
          name="FARM_WEBHOOK_SECRET"
          onKept={() => route(`/webhooks/${made.id}`)}
        />
      )}
    </Page>
  )
}
