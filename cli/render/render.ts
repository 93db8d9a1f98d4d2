import type { FarmClient, Job } from '../../client/farm-client.ts'
import { largestPlan, plans } from '../../core/accounts/plans.ts'
import { validateRequest } from '../../core/project/validate.ts'
import { Failure } from '../failure.ts'
import { download } from './download.ts'
import { untilInterrupted } from './interrupted.ts'
import { findLocalMedia, pointTo } from './local-media.ts'
import { checkEnding, outputPath, prepareOutput } from './output-path.ts'
import { withOwnFarm } from './own-farm.ts'
import { createProgress, type Progress } from './progress.ts'
import { asRenderRequest, type RequestFile, readProjectFile } from './project-file.ts'
import { firstRetries, remoteFarm } from './remote-farm.ts'
import { type Finished, summary } from './summary.ts'
import { createWatch, type Watch } from './watch.ts'

export type RenderOptions = {
  readonly file: string
  readonly output?: string
  readonly var?: Record<string, unknown>
  readonly workers: number
  readonly data?: string
  readonly watch?: boolean
}

/** Time-out of a cancellation, when the farm may be away. */
const cancelTimeoutMs = 5_000

/** `farm render`. @throws Failure */
export async function renderFile(options: RenderOptions): Promise<void> {
  const began = performance.now()
  const request = readProjectFile(options.file, options.var)
  const media = findLocalMedia(request, options.file)
  const output = outputPath(options, request)
  assertEnding(
    output,
    pointTo(request, media, () => anyUrl),
  )
  prepareOutput(output)
  const remote = remoteFarm(media)
  const progress = createProgress(process.stderr)
  const interrupted = untilInterrupted()
  const print = (done: Finished) => {
    progress.end()
    process.stdout.write(summary(done))
  }
  try {
    const watch = options.watch ? createWatch(process.stderr) : undefined
    const work = { request, output, progress, began, interrupted, watch }
    if (remote) print(await renderOn(remote, work))
    else {
      await withOwnFarm({ ...work, media, options }, async (farm, { startSeconds, ...on }) => {
        const done = await renderOn(farm, { ...work, ...on })
        // Reported before the farm is stopped, which takes a second that the user need not wait.
        print({ ...done, startSeconds })
        await watch?.serveOn(on.interrupted)
      })
    }
  } finally {
    progress.end()
  }
  process.exit(0)
}

/** Stands for a file that is not served yet. */
const anyUrl = 'https://media.example.com/file'

/**
 * Checks before anything is started. A faulty project is refused later, by the farm that would
 * render it.
 */
function assertEnding(output: string, request: RequestFile): void {
  const validated = validateRequest(request, plans[largestPlan], { lint: false })
  if ('resolution' in validated) checkEnding(output, validated.resolution.project)
}

/** State of one run. */
type Work = {
  readonly request: RequestFile
  readonly output: string
  readonly progress: Progress
  /** Begin of the command, by `performance.now()`. */
  readonly began: number
  readonly interrupted: Promise<never>
  readonly watch: Watch | undefined
}

async function renderOn(farm: FarmClient, work: Work): Promise<Finished> {
  const { progress, output, interrupted, watch } = work
  const onProgress = (seen: Job) => {
    progress.show(seen)
    watch?.show(seen)
  }
  const over = new AbortController()
  const submitting = farm.submit(asRenderRequest(work.request), { retries: firstRetries })
  let job: Job
  try {
    const { jobId } = await Promise.race([submitting, interrupted])
    job = await Promise.race([farm.wait(jobId, { signal: over.signal, onProgress }), interrupted])
  } catch (error) {
    // Cancels even a job whose submission was interrupted. A refused one is not cancelled: its id
    // may be another job's. The farm itself may have failed; then no cancellation reaches it.
    const accepted = await submitting.catch(() => undefined)
    const ending = { signal: AbortSignal.timeout(cancelTimeoutMs) }
    if (accepted) await farm.cancelJob(accepted.jobId, ending).catch(() => undefined)
    throw error
  } finally {
    over.abort()
  }
  if (job.state !== 'completed' || !job.url || !job.result) throw failureOf(job)
  await Promise.race([download(job.url, output), interrupted])
  const seconds = (performance.now() - work.began) / 1000
  return { output, ...job.result, frames: job.frames, warnings: job.warnings, seconds }
}

function failureOf({ state, failedReason, error }: Job): Failure {
  const faults = (error?.details ?? []).filter(({ field }) => field !== '')
  return new Failure(`the job was not completed: ${failedReason ?? state}`, { faults })
}
