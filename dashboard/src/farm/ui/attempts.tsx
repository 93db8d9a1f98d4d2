import { Time } from '../../ui/time.tsx'
import { duration } from '../../words/format.ts'
import type { Reply } from '../api/reply.ts'
import { FarmState } from './farm-state.tsx'

export type Attempt = Reply<'GET /api/operator/jobs/{job}'>['attempts'][number]

/** Attempts at tasks, the latest first, with what went wrong. */
export function Attempts({
  attempts,
  of,
}: {
  attempts: readonly Attempt[]
  /** What all of them belong to: the other is a column. */
  of: 'job' | 'node'
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
                {each.error.code}: {each.error.message}
              </span>
            )}
          </span>
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
