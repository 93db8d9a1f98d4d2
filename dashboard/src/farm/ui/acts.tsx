import { Time } from '../../ui/time.tsx'
import type { Reply } from '../api/reply.ts'

export type Act = Reply<'GET /api/operator/audit'>['acts'][number]

/** Acts on record: who did what, when and why. */
export function Acts({ acts, hasSubject = false }: { acts: readonly Act[]; hasSubject?: boolean }) {
  if (acts.length === 0) return <p class="quiet">Nothing on record.</p>
  return (
    <ul class="rows">
      {acts.map(({ id, at, actor, act, subject, why }) => (
        <li key={id} class="row">
          <span class="row-name">
            <b dir="auto">{act}</b>
            {hasSubject && (
              <a href={`/farm/audit?subject=${encodeURIComponent(subject)}`} dir="auto">
                {subject}
              </a>
            )}
            <span dir="auto">{why}</span>
          </span>
          <span class="quiet" dir="auto">
            {actor}
          </span>
          <span class="quiet row-time">
            <Time at={at} />
          </span>
        </li>
      ))}
    </ul>
  )
}
