import { Picture, Progress } from '../ui/parts.tsx'
import { State } from '../ui/state.tsx'
import { Time } from '../ui/time.tsx'
import { duration } from '../words/format.ts'
import { hasEnded, type ShownJob } from './job-row.tsx'

/** Cells of a job in the table; a job that is still read is a grey line. */
export function JobTableRow({
  job,
  isChosen,
  onChoose,
}: {
  job: ShownJob | undefined
  isChosen: boolean
  onChoose: (isChosen: boolean) => void
}) {
  if (!job) return <td class="quiet">…</td>
  return (
    <>
      <td class="cell-choose">
        <input
          type="checkbox"
          checked={isChosen}
          aria-label={`Choose ${job.name}`}
          onChange={(event) => onChoose(event.currentTarget.checked)}
        />
      </td>
      <td class="cell-name">
        <Picture src={job.thumbnailUrl ?? job.previewUrl} />
        <span>
          <a href={`/jobs/${job.id}`} dir="auto">
            {job.name || 'Untitled'}
          </a>
          <span class="quiet">{aboutOf(job)}</span>
        </span>
      </td>
      <td class="cell-state">
        <State of={job.state} />
        {!hasEnded(job) && <Progress value={job.progress} label={`Progress of ${job.name}`} />}
      </td>
      <td class="cell-time quiet">
        <Time at={job.createdAt} />
      </td>
    </>
  )
}

function aboutOf(job: ShownJob): string {
  const kind = job.type === 'image' ? 'still' : 'film'
  if (job.failedReason) return job.failedReason
  if (job.result && job.type === 'video') return `${kind}, ${duration(job.result.duration)}`
  const left = !hasEnded(job) && job.etaSeconds !== null && `, ${duration(job.etaSeconds)} left`
  return `${kind}${left || ''}`
}
