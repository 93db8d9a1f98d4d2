import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, fchmodSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'

/** A program to start. Its output is appended to `logFile`, which only its owner can read. */
export type Program = {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  /** The whole environment; absent = this process's. */
  readonly env?: NodeJS.ProcessEnv
  readonly cwd?: string
  /** Runs as this user instead (only root can). */
  readonly user?: { readonly uid: number; readonly gid: number }
  readonly logFile: string
  readonly stopSignal?: 'SIGTERM' | 'SIGINT' | 'SIGKILL'
  /** Grace period before it is killed. */
  readonly graceMs?: number
  /** Receives each line of stderr instead of the log file. */
  readonly onLine?: (line: string) => void
  /** A line for its stdin, once it is known; stdin is closed after it, and where there is none. */
  readonly input?: Promise<string>
}

export type Exit = { readonly code: number | null; readonly signal: NodeJS.Signals | null }

export type Running = {
  readonly name: string
  readonly pid: number
  readonly logFile: string
  readonly exited: Promise<Exit>
  /** Signals it to end, kills it after the grace period, and resolves when it is gone. */
  stop(): Promise<void>
}

/** Longer than a role takes to end by itself (runtime/lifecycle.ts), so that kills are rare. */
const defaultGraceMs = 25_000
const pollMs = 25
/** Time to read the last output; the program's children may hold its stderr open. */
const lastWordsMs = 1_000

/**
 * Watches each child and outlives this process: when the pipe on its stdin closes without a
 * farewell, this process is gone (even by SIGKILL). Then it ends the child, and kills it after the
 * grace period. One mechanism for Linux and macOS; the alternative on Linux, `setpriv --pdeathsig`,
 * has no grace period, so a child that hangs or is frozen would stay.
 */
const watcherScript = `
read -r pid signal grace || exit 0
read -r farewell && exit 0
kill -s "$signal" "$pid" 2>/dev/null
while [ "$grace" -gt 0 ] && kill -0 "$pid" 2>/dev/null; do sleep 1; grace=$((grace - 1)); done
kill -s KILL "$pid" 2>/dev/null
exit 0
`

function startWatcher(): ChildProcess {
  // Separate session, so that Ctrl-C in a terminal does not end it before its work is done.
  const watcher = spawn('/bin/sh', ['-c', watcherScript], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  // It may end first when the whole container is torn down; its broken pipe is then harmless.
  watcher.stdin?.on('error', () => undefined)
  watcher.on('error', () => undefined)
  watcher.unref()
  return watcher
}

function spawnProgram(program: Program, log: number): ChildProcess {
  return spawn(program.command, program.args, {
    // Separate session: Ctrl-C reaches only the parent, which stops its children in order.
    detached: true,
    stdio: [program.input ? 'pipe' : 'ignore', log, program.onLine ? 'pipe' : log],
    ...(program.env && { env: program.env }),
    ...(program.cwd && { cwd: program.cwd }),
    ...program.user,
  })
}

/**
 * Starts a program that cannot outlive this process, however this process ends. Resolves when the
 * program runs (which does not mean that it is ready); rejects when it cannot be started.
 */
export async function startProcess(program: Program): Promise<Running> {
  mkdirSync(dirname(program.logFile), { recursive: true })
  const watcher = startWatcher()
  const log = openSync(program.logFile, 'a', 0o600)
  fchmodSync(log, 0o600)
  const child = spawnProgram(program, log)
  closeSync(log)
  const { pid } = child
  if (pid === undefined) {
    watcher.stdin?.end()
    const cause = await new Promise<Error>((resolve) => child.once('error', resolve))
    throw new Error(`${program.name} could not be started: ${cause.message}`, { cause })
  }
  const stopSignal = program.stopSignal ?? 'SIGTERM'
  const graceMs = program.graceMs ?? defaultGraceMs
  watcher.stdin?.write(`${pid} ${stopSignal.slice(3)} ${Math.ceil(graceMs / 1000)}\n`)
  if (child.stdin && program.input) void sendLine(child.stdin, program.input)
  const allRead = child.stderr && program.onLine && readLines(child.stderr, program.onLine)
  const exited = new Promise<Exit>((resolve) => {
    child.once('exit', async (code, signal) => {
      watcher.stdin?.end('farewell\n')
      await Promise.race([allRead, sleep(lastWordsMs, undefined, { ref: false })])
      resolve({ code, signal })
    })
  })
  return {
    name: program.name,
    pid,
    logFile: program.logFile,
    exited,
    async stop() {
      child.kill(stopSignal)
      const insist = setTimeout(() => child.kill('SIGKILL'), graceMs)
      await exited
      clearTimeout(insist)
    },
  }
}

async function sendLine(stdin: Writable, input: Promise<string>): Promise<void> {
  // The program may end first, which its exit tells.
  stdin.on('error', () => undefined)
  try {
    stdin.end(`${await input}\n`)
  } catch {
    stdin.end()
  }
}

/** Resolves at the end of the stream, after the last line. */
function readLines(stream: Readable, onLine: (line: string) => void): Promise<void> {
  const lines = createInterface({ input: stream }).on('line', onLine)
  return new Promise((resolve) => lines.once('close', resolve))
}

function tail(logFile: string): string {
  return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-5).join('\n')
}

/**
 * Resolves with the first answer of `probe` that does not reject. When the program ends or the time
 * runs out before that, stops it and rejects with the end of its log.
 */
export async function waitUntilReady<T>(
  running: Running,
  { probe, timeoutMs }: { probe: () => Promise<T>; timeoutMs: number },
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  let exit: Exit | undefined
  const ended = running.exited.then((how): never => {
    exit = how
    throw new Error('it ended')
  })
  // Nothing may be awaiting it by then.
  ended.catch(() => undefined)
  for (;;) {
    const late = new AbortController()
    try {
      // A probe may hang, and its answer may come from another program on the same port.
      const answer = await Promise.race([
        probe(),
        ended,
        sleep(Math.max(0, deadline - Date.now()), undefined, { signal: late.signal }).then(() => {
          throw new Error('it did not answer')
        }),
      ])
      if (!exit) return answer
      throw new Error('it ended')
    } catch (cause) {
      const log = () => `${running.logFile} ends with:\n${tail(running.logFile)}`
      if (exit) {
        const how = exit.signal ?? `exit code ${exit.code}`
        throw new Error(`${running.name} ended (${how}) before it was ready; ${log()}`, { cause })
      }
      if (Date.now() > deadline) {
        await running.stop()
        throw new Error(
          `${running.name} must be ready within ${timeoutMs / 1000} s and was not; ${log()}`,
          { cause },
        )
      }
    } finally {
      late.abort()
    }
    await sleep(pollMs)
  }
}
