import { useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import type { Webhook } from '../../../client/farm-client.ts'
import { useLoaded } from '../live/use-loaded.ts'
import { caller, farm } from '../session/farm.ts'
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

const pageSize = 50
const rereadMs = 5_000
const statuses = ['pending', 'succeeded', 'failed'] as const

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
  const [secret, setSecret] = useState<string>()
  const [asked, setAsked] = useState<'rotate' | 'delete'>()
  const [isBusy, during] = useBusy()
  const deliveries = useLoaded(
    (signal) =>
      caller.ask('GET /api/webhooks/deliveries', {
        signal,
        query: { webhookId: id, pageSize, ...(status && { status }) },
      }),
    [id, status],
    ({ kind }) => kind === 'job',
  )
  /** An attempt that fails may have disabled the webhook. */
  const reread = () => {
    deliveries.reload()
    reload()
  }
  const isActive = webhook.status === 'active'
  const turn = async () => {
    const status = isActive ? 'disabled' : 'active'
    await act(() => farm.webhooks.change(id, { status }), `The webhook is ${status}.`)
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
  const sendFailed = async (failed: readonly { readonly id: string }[]) => {
    await act(async () => {
      for (const delivery of failed) await farm.webhooks.redeliver(delivery.id)
    }, 'The failed ones are sent once more.')
    reread()
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
          <button type="button" aria-disabled={isBusy} onClick={() => during(turn)}>
            {isActive ? 'Disable' : 'Enable'}
          </button>
          <button type="button" onClick={() => setAsked('delete')}>
            Delete
          </button>
        </>
      }
    >
      <Description webhook={webhook} onChange={reload} />
      <label class="filters">
        <span class="hidden">Status of deliveries</span>
        <select
          value={status ?? ''}
          onChange={({ currentTarget: { value } }) =>
            route(`/webhooks/${id}${value ? `?status=${value}` : ''}`)
          }
        >
          <option value="">All deliveries</option>
          {statuses.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <Shown of={deliveries}>
        {({ deliveries: shown, total }) => {
          const failed = shown.filter(({ status }) => status === 'failed')
          if (total === 0) {
            return (
              <Empty>
                <h2>{status ? `No delivery is ${status}` : 'Nothing sent yet'}</h2>
                <button type="button" aria-disabled={isBusy} onClick={() => during(test)}>
                  Send a test
                </button>
              </Empty>
            )
          }
          return (
            <Card
              title={`Deliveries (${total})`}
              aside={
                failed.length > 0 && (
                  <button
                    type="button"
                    aria-disabled={isBusy}
                    onClick={() => during(() => sendFailed(failed))}
                  >
                    Send the {failed.length} failed again
                  </button>
                )
              }
            >
              <DeliveryList deliveries={shown} onChange={reread} />
            </Card>
          )
        }}
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
