import './jobs.css'
import { useEffect, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso'
import { useLoaded } from '../live/use-loaded.ts'
import { caller } from '../session/farm.ts'
import { rowHeightNow } from '../settings/choices.ts'
import { ChooseAll } from '../ui/choose-all.tsx'
import { Empty, Fault, Loading, Page } from '../ui/parts.tsx'
import { useMedia } from '../ui/use-media.ts'
import { VirtualList } from '../ui/virtual-list.tsx'
import { counted } from '../words/format.ts'
import { type Choice, choose, everything, isChosen, nothing, sizeOf } from './choice.ts'
import { ChosenBar } from './chosen-bar.tsx'
import { ColumnChoice, shownColumns } from './column-choice.tsx'
import { columnNames, heightBelow, tooNarrowFor } from './columns.ts'
import { JobFilters } from './job-filters.tsx'
import { askedOf, filterOf, queryOf, statesIn } from './job-query.ts'
import { JobTableRow } from './job-table-row.tsx'
import { RunBar } from './run-bar.tsx'
import { useJobPages } from './use-job-pages.ts'
import { useRun } from './use-run.ts'

/** All jobs of the account that match the filters in the address, however many. */
export function Jobs() {
  const { query, route } = useLocation()
  const filter = filterOf(query)
  const key = JSON.stringify(filter)
  const counts = useLoaded(
    (signal) =>
      caller.fetch<{ counts: Record<string, number> }>(
        'GET /api/jobs',
        {
          signal,
          query: { ...askedOf(filter, isoNow()), state: undefined, counts: true, pageSize: 1 },
        },
        (response) => response.json(),
      ),
    [key],
    { isAffected: ({ kind }) => kind === 'job' },
  )
  const list = useJobPages(filter, key)
  const [choice, setChoice] = useState<Choice>(nothing)
  const run = useRun(list.reload)
  const columns = shownColumns.value
  const isStacked = useMedia(tooNarrowFor(columns))
  const rowHeight = rowHeightNow() + (isStacked ? heightBelow(columns) : 0)
  const size = sizeOf(choice, list.total ?? 0)
  useEffect(() => setChoice(nothing), [key])

  return (
    <Page
      title="Jobs"
      lead={list.total === undefined ? '' : counted(list.total, 'job')}
      commands={() => [{ action: 'listJobs', query: askedOf(filter, isoNow()) }]}
    >
      <JobFilters
        filter={filter}
        counts={counts.data?.counts}
        onChange={(next) => route(`/jobs${queryOf(next)}`)}
      >
        <ColumnChoice />
      </JobFilters>
      {size > 0 && list.total !== undefined && (
        <ChosenBar
          {...{ choice, filter, createdTo: list.createdTo, total: list.total }}
          counts={countsOf(statesIn(filter), counts.data?.counts ?? {})}
          onStart={(task) => {
            setChoice(nothing)
            void run.start(task)
          }}
          onAll={() => setChoice(everything)}
          onNone={() => setChoice(nothing)}
        />
      )}
      <RunBar run={run} />
      {list.newJobs > 0 && (
        <button type="button" class="pill" onClick={list.reload}>
          {counted(list.newJobs, 'new job')}: show
        </button>
      )}
      {list.error && <Fault error={list.error} onRetry={list.reload} />}
      {list.total === undefined && !list.error && <Loading />}
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
          key={rowHeight}
          label="Jobs"
          count={list.total}
          rowHeight={rowHeight}
          kind={isStacked ? 'stacked' : 'rows'}
          head={[
            {
              name: 'Choose',
              class: 'cell-choose',
              content: (
                <ChooseAll
                  label="Choose all jobs that match"
                  checked={choice.isAll && choice.jobs.size === 0}
                  onChange={(isWanted) => setChoice(isWanted ? everything : nothing)}
                />
              ),
            },
            { name: 'Job', class: 'cell-name' },
            { name: 'State', class: 'cell-state' },
            ...columns.map((column) => ({ name: columnNames[column], class: 'cell-more' })),
          ]}
          onShown={list.show}
        >
          {(index) => {
            const job = list.at(index)
            return (
              <JobTableRow
                {...{ job, columns }}
                isChosen={job !== undefined && isChosen(choice, job.id)}
                onChoose={(isWanted) => job && setChoice(choose(choice, job, isWanted))}
              />
            )
          }}
        </VirtualList>
      )}
    </Page>
  )
}

/** Counts of all that match, of the states that the filter names. */
function countsOf(states: readonly string[], counts: Readonly<Record<string, number>>) {
  return Object.fromEntries(states.map((state) => [state, counts[state] ?? 0]))
}

const isoNow = () => new Date().toISOString()
