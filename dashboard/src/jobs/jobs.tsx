import { useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import type { Job } from '../../../client/farm-client.ts'
import { useLoaded } from '../live/use-loaded.ts'
import { caller, farm } from '../session/farm.ts'
import { act } from '../ui/act.ts'
import { AsCommand, Copy, curlOf } from '../ui/copy.tsx'
import { Empty, Fault, Page } from '../ui/parts.tsx'
import { VirtualList } from '../ui/virtual-list.tsx'
import { counted } from '../words/format.ts'
import { JobFilters } from './job-filters.tsx'
import { filterOf, queryOf } from './job-query.ts'
import { hasEnded, rowOf } from './job-row.tsx'
import { JobTableRow } from './job-table-row.tsx'
import { useJobPages } from './use-job-pages.ts'

const rowHeight = 56

/** All jobs of the account that match the filters in the address, however many. */
export function Jobs() {
  const { query, route } = useLocation()
  const filter = filterOf(query)
  const key = JSON.stringify(filter)
  const counts = useLoaded(
    (signal) => caller.ask('GET /api/jobs', { signal, query: { counts: true, pageSize: 1 } }),
    [],
    ({ kind }) => kind === 'job',
  )
  const list = useJobPages(filter, key)
  const [chosen, setChosen] = useState<ReadonlyMap<string, Job>>(new Map())

  const choose = (job: Job, isChosen: boolean) => {
    const next = new Map(chosen)
    if (isChosen) next.set(job.id, job)
    else next.delete(job.id)
    setChosen(next)
  }
  const open = [...chosen.values()].filter((job) => !hasEnded(job))
  const cancel = async () => {
    await act(
      () => Promise.all(open.map(({ id }) => farm.cancelJob(id))),
      `${counted(open.length, 'job')} cancelled.`,
    )
    setChosen(new Map())
    list.reload()
  }

  return (
    <Page title="Jobs" lead={list.total === undefined ? '' : counted(list.total, 'job')}>
      <JobFilters
        filter={filter}
        counts={counts.data?.counts}
        onChange={(next) => route(`/jobs${queryOf(next)}`)}
      />
      {chosen.size > 0 && (
        <div class="bar" role="toolbar" aria-label="Chosen jobs">
          <strong>{counted(chosen.size, 'job')} chosen</strong>
          <button type="button" disabled={open.length === 0} onClick={cancel}>
            Cancel {open.length > 0 && counted(open.length, 'job')}
          </button>
          <Copy text={[...chosen.keys()].join('\n')} label="Copy ids" />
          <button type="button" class="link" onClick={() => setChosen(new Map())}>
            Choose none
          </button>
        </div>
      )}
      {list.newJobs > 0 && (
        <button type="button" class="pill" onClick={list.reload}>
          {counted(list.newJobs, 'new job')}: show
        </button>
      )}
      {list.error && <Fault error={list.error} onRetry={list.reload} />}
      {list.total === 0 && (
        <Empty>
          <h2>{key === '{}' ? 'No jobs yet' : 'No job matches'}</h2>
          <p>
            {key === '{}' ? (
              <a href="/">Render the demo film from the overview</a>
            ) : (
              <a href="/jobs">Show all jobs</a>
            )}
          </p>
        </Empty>
      )}
      {list.total !== undefined && list.total > 0 && (
        <VirtualList
          label="Jobs"
          count={list.total}
          rowHeight={rowHeight}
          head={['', 'Job', 'State', 'Created']}
          onShown={list.show}
        >
          {(index) => {
            const job = list.at(index)
            return (
              <JobTableRow
                job={job && rowOf(job)}
                isChosen={job !== undefined && chosen.has(job.id)}
                onChoose={(isChosen) => job && choose(job, isChosen)}
              />
            )
          }}
        </VirtualList>
      )}
      <AsCommand curl={curlOf('GET', `/api/jobs${queryOf(filter)}`)} command="farm jobs list" />
    </Page>
  )
}
