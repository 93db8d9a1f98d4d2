import { useEffect, useRef } from 'preact/hooks'
import type { Job } from '../../../client/farm-client.ts'
import { openStates as running } from '../jobs/job-query.ts'
import { JobRow } from '../jobs/job-row.tsx'
import { onLive } from '../live/live.ts'
import { useLoaded } from '../live/use-loaded.ts'
import { caller } from '../session/farm.ts'
import { Card, Shown } from '../ui/parts.tsx'
import { changedJobs } from './changed-jobs.ts'

const shown = 6

type State = Job['state']
/** The newest jobs of any state, with the number of all in each. */
type Latest = {
  readonly jobs: readonly Job[]
  readonly counts?: Readonly<Record<string, number>>
}

/** Reads jobs in these states; without a request where the newest jobs hold all of them. */
function useJobsIn(
  states: readonly State[],
  { latest, sort }: { latest: Latest; sort?: '-finishedAt' },
) {
  const total = states.reduce((sum, state) => sum + (latest.counts?.[state] ?? 0), 0)
  const known = latest.jobs.filter(({ state }) => states.includes(state))
  const isWhole = known.length === total
  const read = useLoaded(
    async (signal) =>
      isWhole
        ? known
        : (
            await caller.ask('GET /api/jobs', {
              signal,
              query: { state: [...states], pageSize: shown, ...(sort && { sort }) },
            })
          ).jobs,
    [],
    { versions: [isWhole] },
  )
  // The newest jobs are read again after events, and these with them.
  const before = useRef(latest)
  useEffect(() => {
    if (before.current !== latest) read.reload()
    before.current = latest
  }, [latest])
  return { total, read }
}

/** Jobs that have not ended, with picture, progress and time left; nothing where there are none. */
export function RunningNow({ latest }: { latest: Latest }) {
  const { total, read } = useJobsIn(running, { latest })
  // Between two readings rows move by the events themselves.
  useEffect(
    () =>
      onLive(({ kind, data }) => {
        if (kind === 'job') read.put((before) => changedJobs(before, data))
      }),
    [],
  )
  if (total === 0) return null
  return (
    <Card
      title={`Running now (${total})`}
      aside={<a href={`/jobs?state=${running.join(',')}`}>All running jobs</a>}
    >
      <Rows of={read} />
    </Card>
  )
}

/** The latest failed jobs with their reasons; nothing where none has failed. */
export function LastFailures({ latest }: { latest: Latest }) {
  const { total, read } = useJobsIn(['failed'], { latest, sort: '-finishedAt' })
  if (total === 0) return null
  return (
    <Card title="Last failures" aside={<a href="/jobs?state=failed">All failures</a>}>
      <Rows of={read} />
    </Card>
  )
}

function Rows({ of }: { of: ReturnType<typeof useJobsIn>['read'] }) {
  return (
    <Shown of={of}>
      {(jobs) => (
        <ul class="rows">
          {jobs.slice(0, shown).map((job) => (
            <JobRow key={job.id} job={job} />
          ))}
        </ul>
      )}
    </Shown>
  )
}
