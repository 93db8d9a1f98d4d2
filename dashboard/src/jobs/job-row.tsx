import { Time } from '../ui/time.tsx'
import { JobName, JobState } from './job-parts.tsx'
import { type KnownJob, summaryOf } from './job-summary.ts'

/** Line of a short list of jobs. */
export function JobRow({ job: known }: { job: KnownJob }) {
  const job = summaryOf(known)
  return (
    <li class="row">
      <JobName job={job} />
      <span class="row-state">
        <JobState job={job} />
      </span>
      <span class="row-time quiet">
        <Time at={job.created} />
      </span>
    </li>
  )
}
