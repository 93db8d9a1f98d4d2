import { aDay, lastsFor } from '../credits/forecast.ts'
import { JobRow } from '../jobs/job-row.tsx'
import { useLoaded } from '../live/use-loaded.ts'
import { caller, farm } from '../session/farm.ts'
import { Card, Empty, Figure, Page, Shown } from '../ui/parts.tsx'
import { count, counted, credits, duration } from '../words/format.ts'
import { DayBars } from './day-bars.tsx'
import { DemoButton } from './demo-button.tsx'
import { demo } from './demo-job.ts'
import { LastFailures, RunningNow } from './job-lists.tsx'
import { PlanUse } from './plan-use.tsx'

const recentJobs = 8
const days = 30

/** First page of every day: latest jobs, credits, use by day; of the first minute: one button. */
export function Overview() {
  const jobs = useLoaded(
    (signal) =>
      caller.ask('GET /api/jobs', { signal, query: { pageSize: recentJobs, counts: true } }),
    [],
    { isAffected: ({ kind }) => kind === 'job' },
  )
  const profile = useLoaded((signal) => farm.profile({ usage: true, signal }), [], {
    isAffected: ({ kind }) => kind === 'credits',
  })
  const usage = useLoaded((signal) => farm.credits.usage(days, { signal }), [])
  const isNew = jobs.data?.total === 0
  return (
    <Page
      title="Overview"
      actions={isNew ? undefined : <DemoButton />}
      commands={() => [
        { action: 'renderExample', payloadAt: `/api/library/examples/${demo}/content` },
        { action: 'listJobs', query: { pageSize: recentJobs } },
        { action: 'readBalance' },
        { action: 'readUsage', query: { days } },
      ]}
    >
      {isNew && <FirstMinute />}
      <div class="figures">
        <Shown of={profile}>
          {({ credits: { balance, reserved } }) => (
            <>
              <Figure name="Credits left" value={count(balance - reserved)} />
              <Figure name="Held for running jobs" value={count(reserved)} />
            </>
          )}
        </Shown>
        <Shown of={usage}>
          {(used) => (
            <>
              <Figure
                name={`Spent in ${days} days`}
                value={count(used.credits)}
                note={spending(used.credits, profile.data?.credits)}
              />
              <Figure name={`Finished in ${days} days`} value={counted(used.completed, 'job')} />
              <Figure name="Length of film" value={duration(used.seconds)} />
            </>
          )}
        </Shown>
      </div>
      {jobs.data && !isNew && <RunningNow latest={jobs.data} />}
      {jobs.data && !isNew && <LastFailures latest={jobs.data} />}
      {!isNew && (
        <Card title="Latest jobs" aside={<a href="/jobs">All jobs</a>}>
          <Shown of={jobs}>
            {({ jobs: latest }) => (
              <ul class="rows">
                {latest.map((job) => (
                  <JobRow key={job.id} job={job} />
                ))}
              </ul>
            )}
          </Shown>
        </Card>
      )}
      <Shown of={usage}>
        {(used) =>
          used.days.length > 0 && (
            <Card title={`Credits by day, ${credits(used.credits)} in all`}>
              <DayBars days={used.days} count={days} />
            </Card>
          )
        }
      </Shown>
      {!isNew && <PlanUse of={profile} />}
    </Page>
  )
}

/** Says what a day costs, and how long the rest lasts at that. */
function spending(spent: number, left: { balance: number; reserved: number } | undefined): string {
  const lasts = left ? lastsFor(left.balance - left.reserved, { spent, days }) : ''
  return [aDay({ spent, days }), lasts && `lasts ${lasts}`].filter(Boolean).join(', ')
}

function FirstMinute() {
  return (
    <Empty>
      <h2>Nothing rendered yet</h2>
      <p>One press renders a film of twelve seconds. It plays while it renders.</p>
      <DemoButton isPrimary />
    </Empty>
  )
}
