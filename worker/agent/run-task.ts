import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import { type ErrorCode, errorCodes, FarmError, type Retry } from '../../core/errors.ts'
import { CanarySpec, canaryKind } from '../../core/fleet/canary.ts'
import { type StageSeconds, stageOfKind, type TaskKind, taskKinds } from '../../core/queue/tasks.ts'
import type { Grant, Task } from '../../proto/gen/farm/v1/node.ts'
import { recordLog } from '../../runtime/log.ts'
import type { RecentLines } from '../../runtime/recent-lines.ts'
import { attemptPlace } from '../../runtime/tracing/places.ts'
import { noSpan, type RunningSpan } from '../../runtime/tracing/tracing.ts'
import type { NodeContext, TaskContext } from '../context.ts'
import { diskFullMessage, isDiskFull, isDiskFullError } from '../files/disk-space.ts'
import { removeScratch } from '../files/scratch.ts'
import { getObject, putObject, readObject } from '../files/transfer.ts'
import type { TaskResult } from '../metrics.ts'
import { assemble } from '../tasks/assemble.ts'
import { bake } from '../tasks/bake.ts'
import { canary } from '../tasks/canary.ts'
import { ingest } from '../tasks/ingest.ts'
import { Refusal } from '../tasks/read-plan.ts'
import { render } from '../tasks/render.ts'
import { sheet } from '../tasks/sheet.ts'
import { singlePass } from '../tasks/single-pass.ts'
import { still } from '../tasks/still.ts'

/** Result of an attempt, as it is reported to the scheduler. */
export type Outcome =
  | { readonly done: true; readonly result: object }
  | (Failure & { readonly done: false })

type Failure = {
  readonly code: ErrorCode
  readonly message: string
  readonly field: string
  readonly logTail: string
  readonly retry?: Retry | undefined
  /** The task is not for this node. */
  readonly refused?: boolean
}

/** These create their scratch directory at the first write: most stills never need one. */
const mayNeedNoFiles: readonly string[] = ['make', 'sheet', 'still'] satisfies TaskKind[]

/** Kinds of a preview's tasks, whose errors may quote a draft. */
const privateKinds: readonly string[] = ['ingest', 'bake', 'sheet'] satisfies TaskKind[]
const logTailMax = 8_000
/** The outcome is reported only afterwards, so it waits no longer for the log. */
const logTimeoutMs = 5_000

/** Runs one attempt in a scratch directory of its own. Never rejects. */
export async function runTask(
  task: Task,
  {
    node,
    workDir,
    signal,
    progress,
    previewed,
    written,
    wanted,
    follow,
  }: {
    node: NodeContext
    workDir: string
    signal: AbortSignal
    progress: (frames: number) => void
    previewed: () => void
    written: (name: string) => void
    wanted: () => readonly number[]
    /** Gets the lines of the log, which grow. Answers whether an operator follows them by then. */
    follow: (lines: RecentLines) => { readonly isFollowed: boolean }
  },
): Promise<Outcome> {
  const dir = join(workDir, `${task.id}-${task.attempt}`)
  const span = beginSpan(node, task)
  const { log, hidden, brief, notes, recent, text } = recordLog(node.log, {
    ...{ task: task.id, attempt: task.attempt, kind: task.kind, job: task.jobId },
    ...span.ids,
  })
  const followed = follow(recent)
  const began = performance.now()
  const { metrics } = node
  let ended: TaskResult = 'failed'
  let failed: string | undefined
  metrics.taskBegan(task.kind)
  notes.info('attempt begun')
  try {
    if (!mayNeedNoFiles.includes(task.kind)) await mkdir(dir, { recursive: true })
    const reports = { progress, previewed, written, wanted }
    const context = contextOf(task, { node, log, notes, span, dir, signal, ...reports })
    const result = await dispatch(task, context)
    const stages = 'seconds' in result ? (result.seconds as StageSeconds) : undefined
    if (stages) metrics.stagesTook(task.kind, stages)
    ended = 'done'
    log.info({ seconds: (performance.now() - began) / 1000, stages }, 'task done')
    return { done: true, result }
  } catch (error) {
    const failure = await failureIn(workDir, error)
    failed = signal.aborted ? 'stopped' : failure.code
    if (signal.aborted) ended = 'stopped'
    else logFailure({ log, hidden, brief }, { task, error, failure })
    if (failure.code === 'disk_full') await freeDiskSpace(node)
    return { done: false, ...failure }
  } finally {
    metrics.taskEnded(task.kind, { result: ended, seconds: (performance.now() - began) / 1000 })
    // A successful attempt stores no log, but for those who follow it: its timings are in the result.
    if (ended !== 'done' || followed.isFollowed) await storeLog(task, { log, text, signal })
    await removeScratch(dir).catch((error: unknown) =>
      log.warn({ err: error }, 'a scratch directory could not be removed'),
    )
    span.end(failed)
  }
}

/**
 * Logs a failure. An error of a customer quotes their project, and any error of a preview may quote its
 * draft: the log of the process gets code, field and places in the code alone.
 */
function logFailure(
  { log, hidden, brief }: Pick<ReturnType<typeof recordLog>, 'log' | 'hidden' | 'brief'>,
  { task, error, failure }: { task: Task; error: unknown; failure: Failure },
): void {
  const { code, field } = failure
  const { blame } = errorCodes[code]
  if (blame === 'farm' && !privateKinds.includes(task.kind)) {
    log.warn({ err: error, code }, 'task failed')
    return
  }
  hidden.warn({ err: error, code }, 'task failed')
  brief.warn({ code, field, blame, at: placesOf(error) }, 'task failed')
}

/** Lines of a stack without the error's words, which may be several lines, too. */
function placesOf(error: unknown): readonly string[] {
  const lines = error instanceof Error ? (error.stack ?? '').split('\n') : []
  return lines.flatMap(
    (line) =>
      /^ {4}at (?:async )?([\w.<>]+ )?\(?(file:.*:\d+:\d+)\)?$/.exec(line)?.[0].trim() ?? [],
  )
}

/** A canary belongs to no job, so it has no trace. */
function beginSpan({ tracing }: NodeContext, { id, attempt, kind, jobId }: Task): RunningSpan {
  if (!isKind(kind) || !tracing.keeps(jobId)) return noSpan
  return tracing.begin({
    name: `attempt ${kind}`,
    place: attemptPlace({ jobId, stage: stageOfKind[kind], taskId: id, attempt }),
    attributes: { 'farm.job.id': jobId, 'farm.task.id': id, 'farm.task.attempt': attempt },
  })
}

/** Stores the log for the farm's operators. An unreachable store costs only the log. */
async function storeLog(
  task: Task,
  { log, text, signal }: { log: NodeContext['log']; text: () => string; signal: AbortSignal },
): Promise<void> {
  const url = task.outputs.find(({ name }) => name === 'log')?.url
  if (url === undefined || signal.aborted) return
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(logTimeoutMs)])
  await putObject({ url, from: Buffer.from(text()), signal: inTime }).catch((error: unknown) =>
    log.warn({ err: error }, 'the log of a task could not be stored'),
  )
}

/** Trims the caches, so that the next task does not fail for lack of disk. */
async function freeDiskSpace({ originals, pixels, log }: NodeContext): Promise<void> {
  await Promise.all([originals.trim(), pixels.trim()]).catch((error: unknown) =>
    log.warn({ err: error }, 'the caches could not be made smaller'),
  )
}

const isKind = (kind: string): kind is TaskKind => Object.hasOwn(taskKinds, kind)

function dispatch(task: Task, context: TaskContext): Promise<object> {
  const { kind, spec } = task
  if (kind === canaryKind) return canary(checked(CanarySpec, spec), context)
  if (!isKind(kind)) throw new Refusal('unavailable', `This node knows no task of kind ${kind}`)
  switch (kind) {
    case 'ingest':
      return ingest(checked(taskKinds.ingest.spec, spec), context)
    case 'bake':
      return bake(checked(taskKinds.bake.spec, spec), context)
    case 'render':
      return render(checked(taskKinds.render.spec, spec), context)
    case 'assemble':
      return assemble(checked(taskKinds.assemble.spec, spec), context)
    case 'still':
      return still(checked(taskKinds.still.spec, spec), context)
    case 'make':
      return singlePass(checked(taskKinds.make.spec, spec), context)
    case 'sheet':
      return sheet(checked(taskKinds.sheet.spec, spec), context)
    default:
      return kind satisfies never
  }
}

function checked<Schema extends TSchema>(schema: Schema, spec: unknown) {
  const given = spec ?? {}
  if (!Value.Check(schema, given)) {
    throw new Error(`A task's spec must fit its kind. Got ${JSON.stringify(given).slice(0, 200)}`)
  }
  return given
}

function contextOf(
  task: Task,
  rest: Omit<TaskContext, 'jobId' | 'accountId' | 'painted' | 'get' | 'read' | 'put'>,
): TaskContext {
  const inputs = urlsOf(task.inputs)
  const outputs = urlsOf(task.outputs)
  const granted = (urls: ReadonlyMap<string, string>, name: string) => {
    const url = urls.get(name)
    if (url === undefined) throw new Error(`A lease must grant the object ${name}. It does not`)
    return url
  }
  const { signal, notes } = rest
  const noted = async <T>(words: string, name: string, work: () => Promise<T>): Promise<T> => {
    const began = performance.now()
    const done = await work()
    notes.info({ object: name, seconds: (performance.now() - began) / 1000 }, words)
    return done
  }
  return {
    ...rest,
    node: nodeFor(task.accountId, rest.node),
    jobId: task.jobId,
    accountId: task.accountId,
    painted: new Map(),
    get: async (name, to) =>
      await noted('object fetched', name, () =>
        getObject({ url: granted(inputs, name), to, signal }),
      ),
    read: async (name) =>
      await noted('object read', name, () => readObject({ url: granted(inputs, name), signal })),
    put: async (name, from) =>
      await noted('object stored', name, () =>
        putObject({ url: granted(outputs, name), from, signal }),
      ),
  }
}

/**
 * Limits decoded pictures of strangers to the account that sent them. A decoder serves an account's
 * pictures one after another, and one that a malicious picture has taken over could falsify the
 * next.
 */
function nodeFor(accountId: string, node: NodeContext): NodeContext {
  return {
    ...node,
    pixels: node.pixels.within(accountId),
    bitmaps: node.bitmaps.within(accountId),
    copies: node.copies.within(accountId),
  }
}

function urlsOf(grants: readonly Grant[]): Map<string, string> {
  return new Map(grants.map(({ name, url }) => [name, url]))
}

/**
 * Splits a failure into the customer's message and the operators' details. `dir`: the task's
 * directory.
 */
async function failureIn(dir: string, error: unknown): Promise<Failure> {
  const logTail = traceOf(error).slice(0, logTailMax)
  const farmError = error instanceof FarmError ? error : undefined
  const isFull =
    isDiskFullError(error) ||
    (farmError === undefined && (await isDiskFull(dir).catch(() => false)))
  if (isFull && farmError?.code !== 'disk_full') {
    return { code: 'disk_full' as const, message: diskFullMessage, field: '', logTail }
  }
  if (farmError) {
    const { code, message, field = '', retry } = farmError
    return { code, message, field, logTail, retry, refused: farmError instanceof Refusal }
  }
  return { code: 'internal' as const, message: 'The node failed at its work.', field: '', logTail }
}

function traceOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const cause = error.cause === undefined ? '' : `\ncaused by: ${traceOf(error.cause)}`
  return `${error.stack ?? error.message}${cause}`
}
