import { useLocation } from 'preact-iso'
import { jobStates } from '../../../../core/jobs/jobs.ts'
import { rowHeightNow } from '../../settings/choices.ts'
import { Copy } from '../../ui/copy.tsx'
import { Empty, Fault, Loading, Page } from '../../ui/parts.tsx'
import { State } from '../../ui/state.tsx'
import { Time } from '../../ui/time.tsx'
import { VirtualList } from '../../ui/virtual-list.tsx'
import { count } from '../../words/format.ts'
import { SearchField, Select, TextFilter } from '../ui/filters.tsx'
import { queryOf } from '../ui/query.ts'
import { quoted } from '../ui/quoted.ts'
import { commandOf, type FarmJobFilter, filterOf } from './job-query.ts'
import { type FarmJob, useFarmJobs } from './use-farm-jobs.ts'

/** The jobs of all accounts that match the filters in the address, however many. */
export function Jobs() {
  const { query, route } = useLocation()
  const filter = filterOf(query)
  const key = JSON.stringify(filter)
  const { jobs, isRead, isWhole, error, newJobs, show, reload } = useFarmJobs(filter, key)
  const go = (next: FarmJobFilter) => route(`/farm/jobs${queryOf({ ...filter, ...next })}`)
  const lead = isRead ? `${count(jobs.length)} read${isWhole ? ', which are all' : ''}` : ''
  return (
    <Page title="Jobs" lead={lead}>
      <Filters filter={filter} go={go} />
      {newJobs && (
        <button type="button" class="pill" onClick={reload}>
          {newJobs} new: show
        </button>
      )}
      {error && <Fault error={error} onRetry={reload} />}
      {!isRead && !error && <Loading />}
      {isRead && jobs.length === 0 && (
        <Empty>
          <h2>No job matches</h2>
          <a href="/farm/jobs">Show all jobs</a>
        </Empty>
      )}
      {jobs.length > 0 && (
        <VirtualList
          label="Jobs"
          count={jobs.length}
          rowHeight={rowHeightNow()}
          head={[
            { name: 'Job', class: 'cell-name' },
            { name: 'State', class: 'cell-state' },
            { name: 'Queued', class: 'cell-more' },
            { name: 'Running', class: 'cell-more' },
            { name: 'Priority', class: 'cell-more' },
            { name: 'Created', class: 'cell-time' },
          ]}
          onShown={show}
        >
          {(index) => <JobRow job={jobs[index]} />}
        </VirtualList>
      )}
      <div class="actions">
        <Copy text={commandOf(filter, quoted)} label="Copy as farm" />
      </div>
    </Page>
  )
}

function JobRow({ job }: { job: FarmJob | undefined }) {
  if (!job) return null
  return (
    <>
      <td class="cell-name">
        <span class="job-name">
          <a href={`/farm/jobs/${job.id}`} dir="auto">
            {job.name || job.id}
          </a>
          <span class="quiet" dir="auto">
            {job.account}
            {job.error && ` · ${job.error.code}`}
          </span>
        </span>
      </td>
      <td class="cell-state">
        <State of={job.heldAt === null ? job.state : 'held'} />
      </td>
      <td class="cell-more">{count(job.queued)}</td>
      <td class="cell-more">{count(job.running)}</td>
      <td class="cell-more quiet">{job.priority}</td>
      <td class="cell-time quiet">
        <Time at={job.createdAt} />
      </td>
    </>
  )
}

const given = [
  ['account', 'Account', 'Account, by id or name'],
  ['node', 'Node', 'Node, by id or name'],
  ['code', 'Error code', 'Error code'],
] as const

function Filters({ filter, go }: { filter: FarmJobFilter; go: (next: FarmJobFilter) => void }) {
  return (
    <search class="filters">
      <SearchField
        label="Part of the name"
        value={filter.name ?? ''}
        onChange={(name) => go({ name })}
      />
      <Select
        label="State"
        all="All states"
        value={filter.state ?? ''}
        options={jobStates.map((state) => [state, state])}
        onChange={(state) => go({ state })}
      />
      {given.map(([name, placeholder, label]) => (
        <TextFilter
          key={name}
          {...{ name, placeholder, label }}
          value={filter[name] ?? ''}
          onChange={(text) => go({ [name]: text })}
        />
      ))}
      {(['from', 'to'] as const).map((name) => (
        <label key={name} class="date">
          <span>{name === 'from' ? 'From' : 'Before'}, UTC</span>
          <input
            type="datetime-local"
            value={filter[name]?.slice(0, 16) ?? ''}
            onChange={({ currentTarget: { value } }) =>
              go({ [name]: value === '' ? '' : `${value}:00.000Z` })
            }
          />
        </label>
      ))}
    </search>
  )
}
