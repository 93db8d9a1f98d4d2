import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import type { Webhook } from '../../../client/farm-client.ts'
import { useLoaded } from '../live/use-loaded.ts'
import { farm } from '../session/farm.ts'
import { act } from '../ui/act.ts'
import { Question } from '../ui/form-dialog.tsx'
import { Card, Empty, Page, Shown } from '../ui/parts.tsx'
import { SecretDialog } from '../ui/secret-dialog.tsx'
import { State } from '../ui/state.tsx'
import { Time } from '../ui/time.tsx'
import { useBusy } from '../ui/use-busy.ts'
import { DeliveryList } from './delivery-list.tsx'
import { Description } from './description.tsx'
import { ReceiverPrograms } from './receiver-programs.tsx'
import { aDayAgo, RedeliverFailed } from './redeliver-failed.tsx'
import { useDeliveries } from './use-deliveries.ts'

const rereadMs = 5_000
const statuses = ['pending', 'succeeded', 'failed'] as const
const events = ['render.completed', 'render.failed'] as const

/** An endpoint with its deliveries, each with its attempts; what failed can be sent again. */
export function WebhookPage() {
  const { id = '' } = useRoute().params as { id?: string }
  const webhook = useLoaded((signal) => farm.webhooks.get(id, { signal }), [id])
  return (
    <Shown of={webhook}>
      {(shown) => <ShownWebhook webhook={shown} reload={webhook.reload} />}
    </Shown>
  )
}

function ShownWebhook({ webhook, reload }: { webhook: Webhook; reload: () => void }) {
  const { route, query } = useLocation()
  const { id } = webhook
  const status = statuses.find((each) => each === query.status)
  const event = events.find((each) => each === query.event)
  const [secret, setSecret] = useState<string>()
  const [asked, setAsked] = useState<'rotate' | 'delete'>()
  const [isBusy, during] = useBusy()
  const deliveries = useDeliveries({
    webhookId: id,
    ...(status && { status }),
    ...(event && { event }),
  })
  const filter = (changed: { status?: string; event?: string }) => {
    const given = Object.entries({ status, event, ...changed }).filter(([, value]) => value)
    route(`/webhooks/${id}${given.length > 0 ? `?${new URLSearchParams(given as never)}` : ''}`)
  }
  /** An attempt that fails may have disabled the webhook. */
  const reread = () => {
    deliveries.reload()
    reload()
  }
  const isActive = webhook.status === 'active'
  const turn = async (status: 'active' | 'disabled') => {
    const undo = () => void turn(status === 'active' ? 'disabled' : 'active')
    await act(() => farm.webhooks.change(id, { status }), `The webhook is ${status}.`, undo)
    reload()
  }
  const test = async () => {
    await act(() => farm.webhooks.test(id), 'A sample event is on its way.')
    reread()
    setTimeout(reread, rereadMs)
  }
  const rotate = async () => {
    const made = await act(
      () => farm.webhooks.rotateSecret(id),
      'The old secret signs for 24 hours more.',
    )
    setAsked(undefined)
    setSecret(made?.secret)
  }
  const remove = async () => {
    const isGone = await act(async () => {
      await farm.webhooks.delete(id)
      return true
    }, 'The webhook is deleted.')
    setAsked(undefined)
    if (isGone) route('/webhooks')
  }
  return (
    <Page
      title={webhook.url}
      lead={
        <>
          <State of={webhook.status} /> {webhook.events.join(', ')}
          {webhook.exhaustedInRow > 0 && `, ${webhook.exhaustedInRow} of 20 failures in a row`}
          {webhook.previousSecretUntil && (
            <>
              , the old secret signs until <Time at={webhook.previousSecretUntil} />
            </>
          )}
        </>
      }
      commands={() => [
        { action: 'testWebhook', id },
        { action: 'rotateWebhookSecret', id },
        isActive
          ? { action: 'disableWebhook', id, body: { status: 'disabled' } }
          : { action: 'enableWebhook', id, body: { status: 'active' } },
        { action: 'describeWebhook', id, body: { description: webhook.description } },
        { action: 'deleteWebhook', id },
        { action: 'listDeliveries', id, query: { status } },
        { action: 'redeliverFailed', body: { since: aDayAgo(), webhookId: id } },
        { action: 'showWebhook', id },
      ]}
      actions={
        <>
          <button type="button" aria-disabled={isBusy} onClick={() => during(test)}>
            Send a test
          </button>
          <button type="button" onClick={() => setAsked('rotate')}>
            New secret
          </button>
          <button
            type="button"
            aria-disabled={isBusy}
            onClick={() => during(() => turn(isActive ? 'disabled' : 'active'))}
          >
            {isActive ? 'Disable' : 'Enable'}
          </button>
          <button type="button" onClick={() => setAsked('delete')}>
            Delete
          </button>
        </>
      }
    >
      <Description webhook={webhook} onChange={reload} />
      <div class="filters">
        <Choice
          name="Status of deliveries"
          {...{ of: statuses, all: 'All deliveries', chosen: status }}
          onChoose={(value) => filter({ status: value })}
        />
        <Choice
          name="Event of deliveries"
          {...{ of: events, all: 'All events', chosen: event }}
          onChoose={(value) => filter({ event: value })}
        />
      </div>
      <Shown of={deliveries.read}>
        {({ deliveries: shown, next }) =>
          shown.length === 0 ? (
            <Empty>
              <h2>{status || event ? 'No delivery matches' : 'Nothing sent yet'}</h2>
              <button type="button" aria-disabled={isBusy} onClick={() => during(test)}>
                Send a test
              </button>
            </Empty>
          ) : (
            <Card
              title={`Deliveries (${deliveries.total ?? shown.length})`}
              aside={<RedeliverFailed webhookId={id} onDone={reread} />}
            >
              <DeliveryList deliveries={shown} onChange={reread} />
              {next !== null && (
                <button
                  type="button"
                  class="pill"
                  aria-disabled={isBusy}
                  onClick={() => during(deliveries.showOlder)}
                >
                  Show older ones
                </button>
              )}
            </Card>
          )
        }
      </Shown>
      <ReceiverPrograms />
      {asked === 'rotate' && (
        <Question
          title="Make a new secret?"
          yes="Make it"
          no="Keep the old one"
          isBusy={isBusy}
          onYes={() => during(rotate)}
          onNo={() => setAsked(undefined)}
        >
          <p>
            The present secret signs for 24 hours more.
            {webhook.previousSecretUntil && ' The one before it stops signing at once.'}
          </p>
        </Question>
      )}
      {asked === 'delete' && (
        <Question
          title="Delete this webhook?"
          yes="Delete it"
          no="Keep it"
          isDanger
          isBusy={isBusy}
          onYes={() => during(remove)}
          onNo={() => setAsked(undefined)}
        >
          <p>Nothing more is sent to it, and its deliveries are gone for good.</p>
        </Question>
      )}
      {secret && (
        <SecretDialog
          title="New secret of the webhook"
          secret={secret}
          name="FARM_WEBHOOK_SECRET"
          onKept={() => {
            setSecret(undefined)
            reload()
          }}
        />
      )}
    </Page>
  )
}

function Choice({
  name,
  of,
  all,
  chosen,
  onChoose,
}: {
  name: string
  of: readonly string[]
  all: string
  chosen: string | undefined
  onChoose: (value: string) => void
}) {
  return (
    <label>
      <span class="hidden">{name}</span>
      <select value={chosen ?? ''} onChange={({ currentTarget }) => onChoose(currentTarget.value)}>
        <option value="">{all}</option>
        {of.map((each) => (
          <option key={each}>{each}</option>
        ))}
      </select>
    </label>
  )
}
