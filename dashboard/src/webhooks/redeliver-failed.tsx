import { useState } from 'preact/hooks'
import { farm } from '../session/farm.ts'
import { act } from '../ui/act.ts'
import { FormDialog } from '../ui/form-dialog.tsx'
import { counted } from '../words/format.ts'

const hourMs = 3_600_000
const spans = [
  ['hour', 'in the last hour', hourMs],
  ['day', 'in the last 24 hours', 24 * hourMs],
  ['week', 'in the last 7 days', 7 * 24 * hourMs],
  // Deliveries are kept for 30 days.
  ['all', 'in all 30 days', 31 * 24 * hourMs],
] as const

export const aDayAgo = () => new Date(Date.now() - 24 * hourMs).toISOString()

/** Button that sends all failed deliveries since a time again: of one endpoint, or of all receivers. */
export function RedeliverFailed({ webhookId, onDone }: { webhookId?: string; onDone: () => void }) {
  const [isAsking, setAsking] = useState(false)
  const [span, setSpan] = useState<(typeof spans)[number][0]>('day')
  const order = () => {
    const ms = spans.find(([name]) => name === span)?.[2] ?? hourMs
    const since = new Date(Date.now() - ms).toISOString()
    return { since, ...(webhookId && { webhookId }) }
  }
  const send = async () => {
    const isDone = await act(
      async () => await farm.webhooks.redeliverFailed(order()),
      ({ queued, left, limit }) =>
        left === 0
          ? `${counted(queued, 'delivery', 'deliveries')} sent again.`
          : `${queued} sent again, the most at once (${limit}). ${left} are left: do it again.`,
    )
    if (!isDone) return
    setAsking(false)
    onDone()
  }
  return (
    <>
      <button type="button" onClick={() => setAsking(true)}>
        Send failed ones again
      </button>
      {isAsking && (
        <FormDialog
          title="Send failed deliveries again"
          submit="Send them"
          onSubmit={send}
          onClose={() => setAsking(false)}
        >
          <label>
            Failed
            <select
              value={span}
              onChange={({ currentTarget: { value } }) =>
                setSpan(spans.find(([name]) => name === value)?.[0] ?? 'day')
              }
            >
              {spans.map(([name, words]) => (
                <option key={name} value={name}>
                  {words}
                </option>
              ))}
            </select>
          </label>
          <p class="quiet">
            Oldest first, at most 500 at once. What was sent again before is left out, and so are
            tests and disabled endpoints.
          </p>
        </FormDialog>
      )}
    </>
  )
}
