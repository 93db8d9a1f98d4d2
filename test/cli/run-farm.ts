import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ExecutionContext } from 'ava'
import { startProcess } from '../../infra/local/processes.ts'

const launcher = new URL('../../farm', import.meta.url).pathname
const outputs = newFolder()
const pollMs = 20
/** A farm ends within five seconds; a slow machine gets more. */
const stopGraceMs = 30_000

export type Ended = { readonly code: number | null; readonly out: string; readonly err: string }

type Surroundings = {
  readonly env?: Record<string, string>
  readonly cwd?: string
  /** Prefix of the arguments; absent: the launcher. */
  readonly command?: readonly string[]
}

/**
 * Starts `farm ARGS`; `ended` resolves with all its output. It is stopped with the test, however
 * that ends, and goes with this process.
 */
export async function startFarmCommand(
  t: ExecutionContext,
  args: readonly string[],
  surroundings: Surroundings = {},
) {
  const command = await start(args, surroundings)
  t.teardown(command.stop)
  return command
}

/** Runs `farm ARGS` to its end. */
export async function farm(
  args: readonly string[],
  surroundings: Surroundings = {},
): Promise<Ended> {
  return await (await start(args, surroundings)).ended
}

async function start(
  args: readonly string[],
  { env = {}, cwd, command = [launcher] }: Surroundings,
) {
  const name = join(outputs, randomUUID())
  // Redirected into files, so that all output is there when the program has ended.
  const running = await startProcess({
    name: 'farm',
    command: '/bin/sh',
    args: ['-c', `exec "$0" "$@" 2>'${name}.err'`, ...command, ...args],
    env: bareEnv(env),
    logFile: `${name}.out`,
    stopSignal: 'SIGINT',
    graceMs: stopGraceMs,
    ...(cwd && { cwd }),
  })
  const read = (stream: string) =>
    existsSync(`${name}.${stream}`) ? readFileSync(`${name}.${stream}`, 'utf8') : ''
  let isOver = false
  const ended: Promise<Ended> = running.exited.then(({ code }) => {
    isOver = true
    return { code, out: read('out'), err: read('err') }
  })
  /** Resolves when its output on either stream matches; rejects when it ends before. */
  async function said(pattern: RegExp): Promise<string> {
    for (;;) {
      const wasOver = isOver
      const text = read('out') + read('err')
      if (pattern.test(text)) return text
      if (wasOver) throw new Error(`It ended without ${pattern}:\n${text}`)
      await sleep(pollMs)
    }
  }
  const kill = (signal: NodeJS.Signals) => process.kill(running.pid, signal)
  return { pid: running.pid, stop: running.stop, kill, ended, said }
}

/** Creates a folder that goes with this process. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'farm-cli-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Removes variables that would lead a command to a farm or server of this machine. */
function bareEnv(more: Record<string, string>): NodeJS.ProcessEnv {
  const { FARM_URL, FARM_API_KEY, DATABASE_URL, TEMPORAL_ADDRESS, FARM_OBJECTS, ...rest } =
    process.env
  return { ...rest, NO_COLOR: '1', FORCE_COLOR: '0', ...more }
}
