import type { Job, JobChange } from '../../../client/farm-client.ts'
import { Picture, Progress } from '../ui/parts.tsx'
import { State } from '../ui/state.tsx'
import { Time } from '../ui/time.tsx'
import { duration } from '../words/format.ts'

export type ShownJob = Omit<JobChange, 'credits'> & Partial<Pick<Job, 'result' | 'ts'>>

const ended: ReadonlySet<string> = new Set(['completed', 'failed', 'cancelled'])
export const hasEnded = ({ state }: { readonly state: string }) => ended.has(state)

/** Returns a job as its row shows it. */
export const rowOf = (job: Job): ShownJob => ({ ...job, createdAt: job.ts.created })

/** Line of a list of jobs; the whole of it leads to the job. */
export function JobRow({ job }: { job: Job | ShownJob }) {
  const created = 'createdAt' in job ? job.createdAt : job.ts.created
  const note = noteOf(job)
  return (
    <li class="row">
      <Picture src={job.thumbnailUrl ?? job.previewUrl} />
      <span class="row-name">
        <a href={`/jobs/${job.id}`} dir="auto">
          {job.name || 'Untitled'}
        </a>
        <span class="quiet">
          {job.type === 'image' ? 'still' : 'film'}
          {job.result && job.type === 'video' && `, ${duration(job.result.duration)}`}
          {note && `, ${note}`}
        </span>
      </span>
      <span class="row-state">
        <State of={job.state} />
        {!hasEnded(job) && <Progress value={job.progress} label={`Progress of ${job.name}`} />}
      </span>
      <span class="row-time quiet">
        <Time at={created} />
      </span>
    </li>
  )
}

function noteOf(job: Job | ShownJob): string {
  if (job.failedReason) return job.failedReason
  if (hasEnded(job) || job.etaSeconds === null) return ''
  return `${duration(job.etaSeconds)} left`
}
