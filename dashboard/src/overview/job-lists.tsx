import { useEffect } from 'preact/hooks'
import { JobRow } from '../jobs/job-row.tsx'
import { hasEnded } from '../jobs/job-summary.ts'
import { onLive } from '../live/live.ts'
import { useLoaded } from '../live/use-loaded.ts'
import { caller } from '../session/farm.ts'
import { Card, Shown } from '../ui/parts.tsx'
import { changedJobs } from './changed-jobs.ts'

const shown = 6
const running = ['resolving', 'rendering', 'assembling', 'queued'] as const

/** Jobs that have not ended, with picture, progress and time left; nothing where there are none. */
export function RunningNow() {
  const jobs = useLoaded(
    (signal) =>
      caller.ask('GET /api/jobs', { signal, query: { state: [...running], pageSize: shown } }),
    [],
    ({ kind }) => kind === 'job',
  )
  // Between two readings rows move by the events themselves.
  useEffect(
    () =>
      onLive(({ kind, data }) => {
        if (kind !== 'job') return
        jobs.put((before) => ({ ...before, jobs: changedJobs(before.jobs, data) }))
      }),
    [],
  )
  return (
    <Shown of={jobs}>
      {({ jobs: open, total }) =>
        total > 0 && (
          <Card
            title={`Running now (${total})`}
            aside={<a href={`/jobs?state=${running.join(',')}`}>All running jobs</a>}
          >
            <ul class="rows">
              {open.map((job) => (
                <JobRow key={job.id} job={job} />
              ))}
            </ul>
          </Card>
        )
      }
    </Shown>
  )
}

/** The latest failed jobs with their reasons; nothing where none has failed. */
export function LastFailures() {
  const jobs = useLoaded(
    (signal) =>
      caller.ask('GET /api/jobs', {
        signal,
        query: { state: ['failed'], sort: '-finishedAt', pageSize: shown },
      }),
    [],
    ({ kind, data }) => kind === 'job' && hasEnded(data) && data.state === 'failed',
  )
  return (
    <Shown of={jobs}>
      {({ jobs: failed, total }) =>
        total > 0 && (
          <Card title="Last failures" aside={<a href="/jobs?state=failed">All failures</a>}>
            <ul class="rows">
              {failed.map((job) => (
                <JobRow key={job.id} job={job} />
              ))}
            </ul>
          </Card>
        )
      }
    </Shown>
  )
}
