import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable } from 'node:stream'

const stderrTailBytes = 4_096
const stdoutMaxBytes = 1_048_576

/** Result of a program. `exitCode` is 128 + n after signal n, 127 when it was not found. */
export type Ended = {
  readonly exitCode: number
  readonly seconds: number
  readonly stderrTail: string
  readonly timedOut: boolean
  readonly stdout: string
}

/** A program that runs. */
export type Program = {
  readonly child: ChildProcess
  /** Exit code, as in `Ended`, when it has ended and its output is read to the end. */
  readonly ended: Promise<number>
  /** Last output on stderr, for the log. */
  stderrTail(): string
  kill(): void
}

/**
 * Starts a program and kills it at the abort. `isAlone`: it starts no others, so it needs no session
 * of its own and ends by itself.
 */
export function startProgram(
  [command = '', ...args]: readonly string[],
  {
    stdio,
    isAlone = false,
    signal,
  }: {
    stdio: readonly ('pipe' | 'ignore' | number)[]
    isAlone?: boolean
    signal?: AbortSignal | undefined
  },
): Program {
  const child = spawn(command, args, { stdio: [...stdio], detached: !isAlone })
  const stderrTail = child.stderr ? keepTail(child.stderr, stderrTailBytes) : () => ''
  const ended = exitOf(child)
  const kill = () => (isAlone ? void child.kill('SIGKILL') : killGroup(child))
  signal?.addEventListener('abort', kill, { once: true })
  if (signal?.aborted) kill()
  ended.then(() => signal?.removeEventListener('abort', kill))
  return { child, ended, stderrTail, kill }
}

/**
 * Resolves when the program ends; kills it at the timeout or the abort. `stdin`: rejects with its
 * error.
 */
export async function runProgram({
  argv,
  args,
  timeoutMs,
  signal,
  stdin,
  onStdout,
}: {
  argv: readonly string[]
  args: readonly string[]
  timeoutMs: number
  signal?: AbortSignal
  stdin?: Readable
  onStdout?: (chunk: Buffer) => void
}): Promise<Ended> {
  signal?.throwIfAborted()
  const began = performance.now()
  const { child, ended, stderrTail, kill } = startProgram([...argv, ...args], {
    stdio: [stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    signal,
  })
  const input = stdin && feed(stdin, child, kill)
  const stdout = onStdout || !child.stdout ? () => '' : keepStart(child.stdout, stdoutMaxBytes)
  if (onStdout) child.stdout?.on('data', onStdout)
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    kill()
  }, timeoutMs)
  const exitCode = await ended
  clearTimeout(timer)
  signal?.throwIfAborted()
  input?.throwIfFailed()
  return {
    exitCode,
    seconds: (performance.now() - began) / 1000,
    stderrTail: stderrTail(),
    timedOut,
    stdout: stdout(),
  }
}

/** Sends a stream to the program, which may end before it has read everything. */
function feed(
  source: Readable,
  { stdin }: ChildProcess,
  kill: () => void,
): { throwIfFailed(): void } {
  let failure: Error | undefined
  source.once('error', (error) => {
    failure = error
    kill()
  })
  // Its exit code tells whether that was right.
  stdin?.on('error', () => undefined)
  stdin?.once('close', () => source.destroy())
  if (stdin) source.pipe(stdin)
  return {
    throwIfFailed() {
      if (failure) throw failure
    },
  }
}

/**
 * Kills a program that was started `detached` with its whole process group. Killing bwrap alone in
 * its first 30 ms, before its child has asked to die with it, would leave the child running.
 */
function killGroup(child: ChildProcess): void {
  // After its end, another process may have its number.
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    // The whole group has ended by itself.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const signalNumbers: Readonly<Record<string, number>> = {
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGTERM: 15,
  SIGXCPU: 24,
  SIGXFSZ: 25,
}

/** Resolves with the exit code when the program has ended and its output is read to the end. */
function exitOf(child: ReturnType<typeof spawn>): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(127))
    child.once('close', (code, name) => resolve(code ?? 128 + (signalNumbers[name ?? ''] ?? 0)))
  })
}

/** Keeps the first bytes of a stream. */
function keepStart(stream: NodeJS.ReadableStream, maxBytes: number): () => string {
  const chunks: Buffer[] = []
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    if (bytes < maxBytes) chunks.push(chunk)
    bytes += chunk.length
  })
  return () => Buffer.concat(chunks).subarray(0, maxBytes).toString()
}

/** Keeps the last bytes of a stream, for the log. */
function keepTail(stream: NodeJS.ReadableStream, maxBytes: number): () => string {
  let tail = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-maxBytes)
  })
  return () => tail.toString()
}
