import type { Job } from '../../../client/farm-client.ts'
import { counted } from '../words/format.ts'

/** Why a job failed, fault by fault with its path; and the warnings of one that did not. */
export function JobFaults({ job }: { job: Job }) {
  const { error, warnings } = job
  return (
    <>
      {error && (
        <section class="fault-list bad" aria-label="Faults">
          <h2>{error.message}</h2>
          <p class="quiet">
            <code>{error.code}</code>, cost{' '}
            {job.creditsCharged === 0 ? 'nothing' : job.creditsCharged}
          </p>
          <Lines lines={error.details} jobId={job.id} />
        </section>
      )}
      {warnings.length > 0 && (
        <details class="fault-list warn">
          <summary>{counted(warnings.length, 'warning')}</summary>
          <Lines lines={warnings} jobId={job.id} />
        </details>
      )}
    </>
  )
}

type Line = {
  readonly field: string
  readonly pointer?: string
  readonly code: string
  readonly message: string
}

function Lines({ lines, jobId }: { lines: readonly Line[]; jobId: string }) {
  return (
    <ul>
      {lines.map((line) => (
        <li key={`${line.field} ${line.code} ${line.message}`}>
          {line.field && <code>{line.field}</code>} {line.message}{' '}
          {line.pointer && (
            <a href={`/editor?job=${jobId}#${encodeURI(line.pointer)}`}>Open in the editor</a>
          )}
        </li>
      ))}
    </ul>
  )
}
