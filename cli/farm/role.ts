import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { type Running, startProcess } from '../../infra/local/processes.ts'
import { lateSettingsOption } from './late-settings.ts'

export type Role = {
  /** Name for people: `worker 2`. */
  readonly name: string
  readonly command: 'api' | 'scheduler' | 'workflows' | 'control' | 'worker'
  readonly env: NodeJS.ProcessEnv
  /** More of it, which is not known yet; the process loads its code meanwhile. */
  readonly lateEnv?: Promise<NodeJS.ProcessEnv>
  readonly logFile: string
  /** Prefix of its command line, such as `nice` with its options. */
  readonly runner?: readonly string[]
  /** Command line of another checkout, such as the release before; absent: this one's. */
  readonly program?: string
  /** Ends it while it is not ready yet, however long it would wait for others. */
  readonly stopStarting?: AbortSignal
}

const ownMain = join(import.meta.dirname, '..', 'main.ts')
/** Ctrl-C ends a farm within five seconds: unfinished work is repeated at the next start. */
const graceMs = 2_500
const tailLines = 5

/**
 * Starts `farm <role>` as a process of its own. Resolves at the log line by which every role
 * reports that it is ready; rejects with its last lines when it ends before that.
 */
export async function startRole({
  name,
  command,
  env,
  lateEnv,
  logFile,
  runner = [],
  program: main = ownMain,
  stopStarting,
}: Role): Promise<Running> {
  const log = createWriteStream(logFile, { flags: 'a' })
  // A full disk costs lines of the log, not the farm.
  log.on('error', () => undefined)
  const tail: string[] = []
  const [program = '', ...args] = [...runner, process.execPath, main, command].concat(
    lateEnv ? lateSettingsOption : [],
  )
  const { promise: ready, resolve: beReady } = Promise.withResolvers<'ready'>()
  const running = await startProcess({
    name,
    command: program,
    args,
    env,
    ...(lateEnv && { input: lateEnv.then((late) => JSON.stringify(late)) }),
    logFile,
    graceMs,
    onLine(line) {
      log.write(`${line}\n`)
      tail.push(line)
      if (tail.length > tailLines) tail.shift()
      if (line.includes('"msg":"ready"') && line.includes(`"role":"${command}"`)) beReady('ready')
    },
  })
  void running.exited.then(() => log.end())
  const end = () => void running.stop()
  stopStarting?.addEventListener('abort', end)
  if (stopStarting?.aborted) end()
  const first = await Promise.race([ready, running.exited])
  stopStarting?.removeEventListener('abort', end)
  if (first === 'ready' && !stopStarting?.aborted) return running
  const { code, signal } = await running.exited
  const how = signal ?? `exit code ${code}`
  throw new Error(
    `${name} ended (${how}) before it was ready. Its last output:\n${tail.join('\n')}`,
  )
}
