import './deliveries.css'
import type { AccountDelivery } from '../../../client/api-types.ts'
import type { Delivery, JobDelivery } from '../../../client/farm-client.ts'
import { CommandMenu } from '../commands/command-menu.tsx'
import { farm } from '../session/farm.ts'
import { act } from '../ui/act.ts'
import { Json } from '../ui/json.tsx'
import { State } from '../ui/state.tsx'
import { Countdown, Time } from '../ui/time.tsx'
import { useNextAttempt } from './use-next-attempt.ts'

/** Deliveries with each of their attempts: when, code, duration, error, and when the next one comes. */
export function DeliveryList({
  deliveries,
  onChange,
}: {
  deliveries: readonly (Delivery | JobDelivery | AccountDelivery)[]
  onChange: () => void
}) {
  useNextAttempt(deliveries, onChange)
  const redeliver = async (id: string) => {
    await act(() => farm.webhooks.redeliver(id), 'It is sent once more.')
    onChange()
  }
  return (
    <ul class="deliveries">
      {deliveries.map((delivery) => (
        <li key={delivery.id}>
          <div class="delivery">
            <State of={delivery.status} />
            <code>{delivery.event}</code>
            {'url' in delivery && <span dir="auto">{delivery.url}</span>}
            {delivery.test ? (
              <span class="quiet">test</span>
            ) : (
              <a href={`/jobs/${delivery.jobId}`}>job</a>
            )}
            <span class="quiet">
              <Time at={delivery.createdAt} />
            </span>
            <button type="button" onClick={() => redeliver(delivery.id)}>
              Send again
            </button>
            <CommandMenu
              about={`delivery ${delivery.id}`}
              of={() => [{ action: 'redeliver', id: delivery.id }]}
            />
          </div>
          <ol class="attempts">
            {delivery.attempts.map((attempt) => (
              <li key={attempt.at}>
                <span class={isGood(attempt.responseCode) ? 'good' : 'bad'}>
                  {attempt.responseCode ?? 'no answer'}
                </span>{' '}
                after {attempt.durationMs} ms{attempt.error && `: ${attempt.error}`},{' '}
                <Time at={attempt.at} />
              </li>
            ))}
            {delivery.nextAttemptAt && (
              <li class="quiet">
                next attempt <Countdown at={delivery.nextAttemptAt} />
              </li>
            )}
          </ol>
          {'body' in delivery && (
            <details>
              <summary>Body as sent</summary>
              <Json text={delivery.body} label={`Body of the delivery ${delivery.id}`} />
            </details>
          )}
          {delivery.failedReason && <p class="quiet">{delivery.failedReason}</p>}
          {delivery.waiting && <p class="quiet">{delivery.waiting}</p>}
        </li>
      ))}
    </ul>
  )
}

const isGood = (code: number | null) => code !== null && code >= 200 && code < 300
