import { useRoute } from 'preact-iso'
import { Copy } from '../../ui/copy.tsx'
import { Card, Figure, Page, Shown } from '../../ui/parts.tsx'
import { State } from '../../ui/state.tsx'
import { Time } from '../../ui/time.tsx'
import { count } from '../../words/format.ts'
import { read } from '../api/operator-api.ts'
import type { Reply } from '../api/reply.ts'
import { usePolled } from '../api/use-polled.ts'
import { Attempts } from '../ui/attempts.tsx'
import { JobChanges } from './job-changes.tsx'
import { JobFiles } from './job-files.tsx'

type Waiting = Reply<'GET /api/operator/jobs/{job}/waiting'>['waiting']

/** One job: why it waits or how it ended, and every attempt on the nodes that made it. */
export function JobPage() {
  const { job = '' } = useRoute().params
  const loaded = usePolled(
    async (signal) => {
      const [shown, { waiting }] = await Promise.all([
        read('GET /api/operator/jobs/{job}', { job, signal }),
        read('GET /api/operator/jobs/{job}/waiting', { job, signal }),
      ])
      return { ...shown, waiting }
    },
    [job],
  )
  const { data, reload } = loaded
  return (
    <Page
      title={data?.name || 'Job'}
      lead={
        data && (
          <span class="since">
            <State of={data.heldAt === null ? data.state : 'held'} />
            {data.stage}
            <a href={`/farm/accounts/${data.accountId}`} dir="auto">
              {data.account}
            </a>
            <Time at={data.createdAt} />
          </span>
        )
      }
      actions={data && <JobChanges job={data} onDone={reload} />}
    >
      <Shown of={loaded}>
        {(shown) => (
          <>
            <Why waiting={shown.waiting} />
            {shown.heldAt && (
              <p class="notice" dir="auto">
                Held: {shown.holdReason}
              </p>
            )}
            {shown.error && (
              <p class="fault" dir="auto">
                {shown.error.code}: {shown.error.message}
              </p>
            )}
            <div class="figures many">
              <Figure name="Tasks queued" value={count(shown.queued)} />
              <Figure name="Tasks running" value={count(shown.running)} />
              <Figure name="Attempts" value={count(shown.attempts.length)} />
              <Figure name="Priority" value={shown.priority} />
            </div>
            <Card title="Attempts">
              <Attempts
                attempts={shown.attempts}
                of="job"
                {...(shown.finishedAt === null && { onDone: reload })}
              />
            </Card>
            <JobFiles jobId={shown.id} />
            <Card title="Names">
              <dl class="facts">
                <div>
                  <dt>Job</dt>
                  <dd>{shown.id}</dd>
                </div>
                <div>
                  <dt>Trace</dt>
                  <dd>{shown.trace}</dd>
                </div>
              </dl>
              <div class="actions">
                <Copy text={`farm jobs show ${shown.id}`} label="Copy as farm" />
                <a class="button" href={`/farm/audit?subject=${shown.id}`}>
                  On record
                </a>
              </div>
            </Card>
          </>
        )}
      </Shown>
    </Page>
  )
}

function Why({ waiting }: { waiting: Waiting }) {
  if (!waiting) return null
  return (
    <p class="notice" dir="auto">
      {waiting.message}
    </p>
  )
}
