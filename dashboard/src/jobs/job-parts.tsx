import { Picture, Progress } from '../ui/parts.tsx'
import { State } from '../ui/state.tsx'
import type { JobSummary } from './job-summary.ts'

/** Picture of a job, its name, which leads to it, and what it is. */
export function JobName({ job }: { job: JobSummary }) {
  return (
    <>
      <Picture src={job.picture} />
      <span class="job-name">
        <a href={`/jobs/${job.id}`} dir="auto">
          {job.name}
        </a>
        <span class="quiet">{job.about}</span>
      </span>
    </>
  )
}

export function JobState({ job }: { job: JobSummary }) {
  return (
    <>
      <State of={job.state} />
      {job.isOpen && <Progress value={job.progress} label={`Progress of ${job.name}`} />}
    </>
  )
}
