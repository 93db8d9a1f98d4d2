import { Time } from '../ui/time.tsx'
import { type Column, columnNames } from './columns.ts'
import { JobName, JobState } from './job-parts.tsx'
import { type KnownJob, summaryOf } from './job-summary.ts'

/** Cells of a job in the table; a job that is still read is a grey line. */
export function JobTableRow({
  job: known,
  columns,
  isChosen,
  onChoose,
}: {
  job: KnownJob | undefined
  columns: readonly Column[]
  isChosen: boolean
  onChoose: (isChosen: boolean) => void
}) {
  if (!known) return <td class="quiet">…</td>
  const job = summaryOf(known)
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
        <JobName job={job} />
      </td>
      <td class="cell-state">
        <JobState job={job} />
      </td>
      {columns.map((column) => (
        <td key={column} class="cell-more quiet" data-name={columnNames[column]}>
          {column === 'created' ? <Time at={job.created} /> : job[column] || '–'}
        </td>
      ))}
    </>
  )
}
