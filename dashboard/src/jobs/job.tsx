import './job.css'
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import type { Job } from '../../../client/farm-client.ts'
import type { Command } from '../commands/texts.ts'
import { GanttChart } from '../gantt/gantt.tsx'
import { type LiveEvent, onLive } from '../live/live.ts'
import { useLoaded } from '../live/use-loaded.ts'
import { isDemoJob } from '../overview/demo-job.ts'
import { Player } from '../player/player.tsx'
import { caller, farm } from '../session/farm.ts'
import { act } from '../ui/act.ts'
import { Copy } from '../ui/copy.tsx'
import { Icon } from '../ui/icon.tsx'
import { Json } from '../ui/json.tsx'
import { Card, Page, Progress, Shown } from '../ui/parts.tsx'
import { State } from '../ui/state.tsx'
import { Time } from '../ui/time.tsx'
import { setTitle } from '../ui/title.ts'
import { useBusy } from '../ui/use-busy.ts'
import { ThreeWays } from '../ways/three-ways.tsx'
import { DeliveryList } from '../webhooks/delivery-list.tsx'
import { JobFacts } from './job-facts.tsx'
import { JobFaults } from './job-faults.tsx'
import { hasEnded } from './job-summary.ts'
import { SpentTimes } from './spent-times.tsx'
import { WatchButton } from './watch-button.tsx'

const isOf = (id: string) => (event: LiveEvent) => event.kind === 'job' && event.data.id === id

/** One job: its film, its course, its faults, its files, and what can be done with it. */
export function JobPage() {
  const { id = '' } = useRoute().params as { id?: string }
  const job = useLoaded((signal) => farm.getJob(id, { signal }), [id], { isAffected: isOf(id) })
  const shown = useRef(job.data)
  shown.current = job.data
  useEffect(
    () =>
      onLive(({ kind, data }) => {
        if (kind !== 'job' || data.id !== id) return
        const { state, stage } = shown.current ?? data
        const { progress, framesPerSecond, etaSeconds, previewUrl } = data
        job.put((before) => ({ ...before, progress, framesPerSecond, etaSeconds, previewUrl }))
        if (data.state !== state || data.stage !== stage) job.reload()
      }),
    [id],
  )
  return <Shown of={job}>{(shown) => <ShownJob job={shown} reload={job.reload} />}</Shown>
}

function ShownJob({ job, reload }: { job: Job; reload: () => void }) {
  const isOver = hasEnded(job)
  useEffect(() => {
    if (!isOver) setTitle(`${job.progress} % ${job.name} · Render farm`)
  }, [job.progress, isOver])
  return (
    <Page
      title={job.name || 'Untitled'}
      lead={
        <>
          <State of={job.state} /> <Time at={job.ts.created} />
          {job.bulkId && (
            <>
              {' '}
              in <a href={`/bulks/${job.bulkId}`}>its bulk</a>
            </>
          )}
        </>
      }
      actions={<Actions job={job} reload={reload} />}
      commands={() => commandsOf(job)}
    >
      {!isOver && (
        <div class="job-progress">
          <Progress value={job.progress} label="Progress of the job" />
          <p class="quiet">
            {job.progress} %{job.stage && `, ${job.stage}`}
            {job.etaSeconds !== null && `, about ${job.etaSeconds} s left`}
            {job.framesPerSecond !== null && `, ${job.framesPerSecond.toFixed(0)} frames a second`}
          </p>
          {job.waiting && <p class="notice">{job.waiting.message}</p>}
        </div>
      )}
      <JobFaults job={job} />
      <div class="job-grid">
        <Player job={job} />
        <JobFacts job={job} />
      </div>
      {job.state === 'completed' && isDemoJob(job.id) && <ThreeWays jobId={job.id} />}
      <Course job={job} />
      <SpentTimes job={job} />
      <Request job={job} />
      <Deliveries job={job} />
    </Page>
  )
}

function commandsOf({ id, state, downloadUrl }: Job): readonly Command[] {
  const again = state === 'completed' ? 'renderJobAgain' : 'retryJob'
  return [
    { action: 'showJob', id },
    ...(hasEnded({ state })
      ? [{ action: again, id } as const]
      : [{ action: 'followJob', id } as const, { action: 'cancelJob', id } as const]),
    ...(downloadUrl ? [{ action: 'downloadJob', id } as const] : []),
    { action: 'readRequest', id },
    { action: 'readTimeline', id },
    { action: 'explainJob', id },
    { action: 'listJobDeliveries', id },
  ]
}

function Actions({ job, reload }: { job: Job; reload: () => void }) {
  const { route } = useLocation()
  const [isBusy, during] = useBusy()
  const cancel = () =>
    during(async () => {
      await act(() => farm.cancelJob(job.id), 'The job is cancelled.')
      reload()
    })
  const retry = () =>
    during(async () => {
      const made = await act(() => farm.retry(job.id), 'A new job renders it again.')
      if (made) route(`/jobs/${made.jobId}`)
    })
  return (
    <>
      {job.downloadUrl && (
        <a class="button primary" href={job.downloadUrl} rel="noreferrer">
          <Icon name="download" size={16} /> Download
        </a>
      )}
      {job.watchUrl && job.type === 'video' && (
        <Copy text={job.watchUrl} label="Copy link to watch" />
      )}
      {hasEnded(job) ? (
        <>
          <a class="button" href={`/editor?job=${job.id}`}>
            Edit and render again
          </a>
          <button type="button" aria-disabled={isBusy} onClick={retry}>
            Render again
          </button>
        </>
      ) : (
        <>
          <WatchButton id={job.id} />
          <button type="button" aria-disabled={isBusy} onClick={cancel}>
            Cancel
          </button>
        </>
      )}
    </>
  )
}

function Course({ job }: { job: Job }) {
  const timeline = useLoaded((signal) => farm.timeline(job.id, { signal }), [job.id], {
    isAffected: isOf(job.id),
    versions: [job.ts.updated],
  })
  return (
    <Card title="Course">
      <Shown of={timeline}>
        {(known) => (
          <GanttChart timeline={known} now={Date.parse(job.ts.finished ?? '') || Date.now()} />
        )}
      </Shown>
    </Card>
  )
}

function Request({ job }: { job: Job }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="card" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Request as it was sent</summary>
      {isOpen && <RequestText id={job.id} />}
    </details>
  )
}

function RequestText({ id }: { id: string }) {
  const request = useLoaded((signal) => farm.requestOf(id, { signal }), [id])
  return (
    <Shown of={request}>
      {(sent) => {
        const text = JSON.stringify(sent, null, 2)
        return (
          <>
            <Copy text={text} label="Copy JSON" />
            <Json text={text} label="JSON of the request" />
          </>
        )
      }}
    </Shown>
  )
}

function Deliveries({ job }: { job: Job }) {
  const deliveries = useLoaded(
    (signal) =>
      caller.ask('GET /api/jobs/{id}/deliveries', { id: job.id, signal, query: { pageSize: 50 } }),
    [job.id],
    { versions: [job.state] },
  )
  const sent = deliveries.data?.deliveries ?? []
  if (sent.length === 0) return null
  return (
    <Card title="Webhooks sent for it">
      <DeliveryList deliveries={sent} onChange={deliveries.reload} />
    </Card>
  )
}
