import { printable } from '../../../../core/printable.ts'
import { Time } from '../../ui/time.tsx'
import { duration } from '../../words/format.ts'
import { change } from '../api/operator-api.ts'
import type { Reply } from '../api/reply.ts'
import { ChangeButton } from './change-button.tsx'
import { FarmState } from './farm-state.tsx'

export type Attempt = Reply<'GET /api/operator/jobs/{job}'>['attempts'][number]

/** Attempts at tasks, the latest first, with what went wrong. */
export function Attempts({
  attempts,
  of,
  onDone,
}: {
  attempts: readonly Attempt[]
  /** Node or job that all of them belong to: the other is a column. */
  of: 'job' | 'node'
  onDone?: () => void
}) {
  if (attempts.length === 0) return <p class="quiet">None yet.</p>
  return (
    <ul class="rows attempts">
      {attempts.map((each) => (
        <li key={`${each.taskId} ${each.attempt}`} class="row">
          <span class="row-name">
            <a href={`/farm/tasks/${each.taskId}?attempt=${each.attempt}`} dir="auto">
              {each.task}
            </a>
            <span class="quiet" dir="auto">
              {each.kind}, attempt {each.attempt}
              {of === 'job' ? ` on ${each.node}` : ''}
              {each.url && ` · ${each.url}`}
            </span>
            {each.error && (
              <span class="bad" dir="auto">
                {each.error.code}: {printable(each.error.message)}
              </span>
            )}
          </span>
          {onDone && <AttemptChanges attempt={each} onDone={onDone} />}
          {of === 'node' && <a href={`/farm/jobs/${each.jobId}`}>Job</a>}
          <span class="row-state">
            <FarmState of={each.state} />
          </span>
          <span class="number">{duration(each.seconds)}</span>
          <span class="quiet row-time">
            <Time at={each.leasedAt} />
          </span>
        </li>
      ))}
    </ul>
  )
}

/** A running attempt can be ended; the task then starts anew, elsewhere where it can. */
function AttemptChanges({ attempt: each, onDone }: { attempt: Attempt; onDone: () => void }) {
  const { taskId: task, attempt, state } = each
  const named = `${each.task}, attempt ${attempt}`
  if (state === 'running') {
    return (
      <ChangeButton
        needs="operator"
        label="End"
        hint={`End ${named}`}
        title={`End ${named}`}
        done="The attempt is ended"
        command={`farm tasks end ${task} ${attempt}`}
        send={({ why }) =>
          change('POST /api/operator/tasks/{task}/attempts/{attempt}/end', {
            ...{ task, attempt: String(attempt), body: { why } },
          })
        }
        onDone={onDone}
      />
    )
  }
  if (state !== 'failed') return null
  return (
    <ChangeButton
      needs="operator"
      label="Retry"
      hint={`Retry ${named}`}
      title={`Retry ${each.task}`}
      done="The task is tried again"
      command={`farm tasks retry ${task}`}
      send={({ why }) => change('POST /api/operator/tasks/{task}/retry', { task, body: { why } })}
      onDone={onDone}
    />
  )
}
