import { withSeenMarks } from '../words/direction-marks.ts'

/** Watched jobs that have ended. */
export type Ended = { readonly id: string; readonly name: string; readonly state: string }

export type Notice = { readonly title: string; readonly body: string; readonly path: string }

/** People are told at most once in this time; what ends meanwhile is told together. */
const everyMs = 10_000

/** Gathers ended jobs into notices. `later` calls back after a time, as `setTimeout` does. */
export function gatherNotices({
  show,
  now = () => performance.now(),
  later = (work, ms) => void setTimeout(work, ms),
}: {
  show: (notice: Notice) => void
  now?: () => number
  later?: (work: () => void, ms: number) => void
}): (job: Ended) => void {
  let waiting: Ended[] = []
  let lastAt = Number.NEGATIVE_INFINITY
  let isDue = false
  const tell = () => {
    isDue = false
    lastAt = now()
    show(noticeOf(waiting))
    waiting = []
  }
  return (job) => {
    waiting.push(job)
    if (isDue) return
    const left = lastAt + everyMs - now()
    if (left <= 0) return tell()
    isDue = true
    later(tell, left)
  }
}

function noticeOf(jobs: readonly Ended[]): Notice {
  const [job] = jobs
  if (jobs.length === 1 && job) {
    return { title: `${nameOf(job) || 'A job'} ${wordOf(job)}`, body: '', path: `/jobs/${job.id}` }
  }
  const body = jobs.map((each) => `${nameOf(each) || 'Untitled'} ${wordOf(each)}`).join('\n')
  return { title: `${jobs.length} jobs have ended`, body, path: '/jobs' }
}

const nameOf = ({ name }: Ended) => withSeenMarks(name)
const wordOf = ({ state }: Ended) => (state === 'completed' ? 'is completed' : `is ${state}`)
