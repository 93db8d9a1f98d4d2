import { useEffect, useRef } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso'
import { printable } from '../../../../core/printable.ts'
import { Copy } from '../../ui/copy.tsx'
import { Card, Page, Shown } from '../../ui/parts.tsx'
import { save } from '../../ui/save.ts'
import { Time } from '../../ui/time.tsx'
import { bytes, count, duration } from '../../words/format.ts'
import { read } from '../api/operator-api.ts'
import type { Reply } from '../api/reply.ts'
import { usePolled } from '../api/use-polled.ts'
import { FarmState } from '../ui/farm-state.tsx'
import { queryOf } from '../ui/query.ts'

/** Kilobytes of the end of a log that are shown first. */
const endKilobytes = 64
/** Nodes tell new lines of a followed log as often. */
const everyMs = 1_000

/** The node's log of an attempt: its end first, all of it on demand. It follows while the attempt runs. */
export function LogPage() {
  const { task = '' } = useRoute().params
  const { query, path, route } = useLocation()
  const isWhole = query.all === 'yes'
  const attempt = Number(query.attempt) || undefined
  const loaded = usePolled(
    async (signal) =>
      await read('GET /api/operator/tasks/{task}/log', {
        ...{ task, signal },
        query: {
          ...(attempt !== undefined && { attempt }),
          ...(!isWhole && { kilobytes: endKilobytes }),
        },
      }),
    [task, attempt, isWhole],
    everyMs,
    isOver,
  )
  const { data } = loaded
  const log = data?.log && printable(data.log)
  const name = data && `${data.task}-${data.attempt}.log`
  return (
    <Page
      title={data ? `Log of ${data.task}` : 'Log'}
      lead={
        data && (
          <span class="since">
            <FarmState of={data.state} /> attempt {data.attempt} on{' '}
            <span dir="auto">{data.node}</span>
            <Time at={data.leasedAt} /> {duration(data.seconds)}
          </span>
        )
      }
      actions={
        log && (
          <>
            <Copy text={log} label="Copy the log" />
            <button
              type="button"
              onClick={() => save(log, { name: name ?? 'task.log', type: 'text/plain' })}
            >
              Save as a file
            </button>
          </>
        )
      }
    >
      <Shown of={loaded}>
        {(shown) => (
          <>
            <p>
              <a href={`/farm/jobs/${shown.jobId}`}>Its job</a>
            </p>
            {shown.error && (
              <p class="fault" dir="auto">
                {shown.error.code}: {printable(shown.error.message)}
              </p>
            )}
            <Card
              title={
                shown.live
                  ? `${count(shown.live.lines)} lines so far`
                  : `${bytes(shown.logBytes)} of log`
              }
              aside={
                !shown.live &&
                shown.logBytes > endKilobytes * 1000 && (
                  <button
                    type="button"
                    onClick={() =>
                      route(`${path}${queryOf({ ...query, all: isWhole ? '' : 'yes' })}`)
                    }
                  >
                    {isWhole ? `The last ${endKilobytes} kB` : 'All of it'}
                  </button>
                )
              }
            >
              {shown.live && <p class="quiet">{wordsOf(shown.live, shown.state)}</p>}
              {shown.log === null && (
                <p class="quiet">
                  {shown.logTail === null
                    ? 'No log is kept of this attempt.'
                    : printable(shown.logTail)}
                </p>
              )}
              {log && <LogText text={log} />}
            </Card>
          </>
        )}
      </Shown>
    </Page>
  )
}

/** Answers whether the log of an attempt can change no more, by the farm's clock. */
function isOver({ state, live }: Reply<'GET /api/operator/tasks/{task}/log'>): boolean {
  return state !== 'running' && (live === null || live.isOver)
}

type Live = NonNullable<Reply<'GET /api/operator/tasks/{task}/log'>['live']>

/** Says how much of a log that was followed is here. */
function wordsOf({ from, lines }: Live, state: string): string {
  const missing = from > 0 ? ` The first ${count(from)} lines are not here.` : ''
  if (state !== 'running') return `The attempt ended without storing its log.${missing}`
  if (lines > 0) return `New lines come each second while the attempt runs.${missing}`
  return 'The node is asked for its log, and tells it within seconds.'
}

/** Plain text that stays at its end as long as the reader does. */
function LogText({ text }: { text: string }) {
  const box = useRef<HTMLElement>(null)
  const isAtEnd = useRef(true)
  useEffect(() => {
    if (box.current && isAtEnd.current) box.current.scrollTop = box.current.scrollHeight
  }, [text])
  return (
    <section
      class="json log"
      aria-label="Log"
      ref={box}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must reach a box that scrolls.
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight > scrollHeight - 20
      }}
    >
      <pre>
        <code>{text}</code>
      </pre>
    </section>
  )
}
