import { type ChildProcess, spawn } from 'node:child_process'
import { lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { programPath } from './ffmpeg.ts'

/**
 * Fences for programs that read strangers' files. `bwrap`: own namespaces, no network, a read-only
 * system, only the named directories; inside it, and where bwrap does not work, `prlimit` bounds
 * memory, processor time and file size; inside it the number of processes too.
 */

export type SandboxMode = 'off' | 'auto' | 'require'

export type SandboxState = {
  readonly level: 'bwrap' | 'prlimit' | 'none'
  /** One sentence for `farm doctor`. */
  readonly reason: string
}

/** What a program may use. Memory is private writable memory (RLIMIT_DATA). */
export type Limits = {
  readonly memoryBytes: number
  readonly cpuSeconds: number
  readonly fileBytes: number
  /** Processes and threads together; held to inside bwrap only. Absent: as many as a decoder needs. */
  readonly processes?: number
}

export type Fence = {
  /** Absolute paths it may read, and those it may also write. Nothing else of the disk is there. */
  readonly read: readonly string[]
  readonly write: readonly string[]
  /** Whether it needs a /proc, which then shows its own processes; not every container can give one. */
  readonly proc?: boolean
  /** Whether it may use the node's GPU, by the files of NVIDIA's driver; with it comes a /proc. */
  readonly gpu?: boolean
  readonly limits: Limits
}

export type Run = {
  readonly program: string
  readonly args: readonly string[]
  /** Absent = the farm's own work on its own data: no fence. */
  readonly fence?: Fence
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** Gets what the program says, as it comes, instead of `stdout`. */
  readonly onStdout?: (chunk: Buffer) => void
}

/** How a program ended, well or badly. `exitCode` is 128 + n after signal n, 127 when not found. */
export type Ended = {
  readonly exitCode: number
  readonly seconds: number
  readonly stderrTail: string
  readonly timedOut: boolean
  readonly stdout: string
}

export type Sandbox = {
  readonly state: SandboxState
  /** The words of a command line that runs `program` inside the fence. To be started in a session of its own. */
  commandLine(program: string, fence: Fence): readonly string[]
  /** Never rejects for what the program does; rejects with the signal's reason when aborted. */
  run(run: Run): Promise<Ended>
}

/**
 * ffmpeg, Node and libvips start at most this many threads and processes. RLIMIT_NPROC counts all
 * processes of the user, so it is set only inside bwrap's own namespace, where nobody else is.
 */
const processesMax = 128
const stderrTailBytes = 4_096
const stdoutMaxBytes = 1_048_576

const probeLimits: Limits = { memoryBytes: 2 ** 30, cpuSeconds: 10, fileBytes: 2 ** 20 }

/**
 * Finds out by running it which fence works here. Throws when `require` is asked for and bwrap does
 * not work.
 */
export async function createSandbox(mode: SandboxMode): Promise<Sandbox> {
  const state = await sandboxState(mode)
  if (mode === 'require' && state.level !== 'bwrap') {
    throw new Error(
      `FARM_SANDBOX=require needs a working bwrap (package bubblewrap). Got: ${state.reason}`,
    )
  }
  const commandLine = (program: string, fence: Fence) => fenced(state.level, program, fence)
  return {
    state,
    commandLine,
    run: ({ fence, ...rest }) => {
      const words = fence ? commandLine(rest.program, fence) : [programPath(rest.program)]
      return runProgram({ ...rest, words })
    },
  }
}

/** What `createSandbox` would use, for `farm doctor`. */
export async function sandboxState(mode: SandboxMode): Promise<SandboxState> {
  if (mode === 'off') return { level: 'none', reason: 'switched off by FARM_SANDBOX=off' }
  if (process.platform !== 'linux') {
    return {
      level: 'none',
      reason: `bwrap and prlimit exist on Linux only; this is ${process.platform}`,
    }
  }
  const fence = { read: [], write: [], limits: probeLimits }
  const bwrap = await probe(fenced('bwrap', 'true', fence))
  if (bwrap === undefined) return { level: 'bwrap', reason: 'bwrap works' }
  const prlimit = await probe(fenced('prlimit', 'true', fence))
  if (prlimit === undefined) {
    return { level: 'prlimit', reason: `prlimit works; bwrap does not: ${bwrap}` }
  }
  return { level: 'none', reason: `bwrap: ${bwrap}; prlimit: ${prlimit}` }
}

async function probe(words: readonly string[]): Promise<string | undefined> {
  const ended = await runProgram({ words, args: [], timeoutMs: 10_000 })
  if (ended.exitCode === 0) return undefined
  return ended.stderrTail.trim().split('\n').at(-1) || `exit code ${ended.exitCode}`
}

function fenced(level: SandboxState['level'], name: string, fence: Fence): readonly string[] {
  const program = programPath(name)
  const own = name !== program && isAbsolute(program) ? [program] : []
  switch (level) {
    case 'bwrap':
      return [
        ...bwrapWords({ ...fence, read: [...own, ...fence.read] }),
        ...prlimitWords(fence.limits, [`--nproc=${fence.limits.processes ?? processesMax}`]),
        program,
      ]
    case 'prlimit':
      return [
        ...bareEnvironment(),
        ...(fence.gpu ? gpuVariables().map(([name, value]) => `${name}=${value}`) : []),
        ...prlimitWords(fence.limits),
        program,
      ]
    case 'none':
      return [program]
    default:
      return level satisfies never
  }
}

function bareEnvironment(): string[] {
  return ['env', '-i', `PATH=${process.env.PATH}`]
}

/** RLIMIT_AS cannot be used: Node reserves far more addresses than it uses memory. */
function prlimitWords(
  { memoryBytes, cpuSeconds, fileBytes }: Limits,
  more: readonly string[] = [],
): string[] {
  return [
    'prlimit',
    `--data=${memoryBytes}`,
    `--cpu=${cpuSeconds}`,
    `--fsize=${fileBytes}`,
    ...more,
    '--core=0',
    '--',
  ]
}

/**
 * No session of its own (`--new-session`): bwrap leaves the group of whoever starts it a moment before it asks to
 * end with it, and who is killed in between leaves it running for good. Each caller starts a session instead, so
 * no terminal is near, and its group has all of them.
 */
function bwrapWords({ read, write, gpu = false, proc = gpu }: Fence): string[] {
  return [
    // Behind the fence bwrap is process 1, and its /proc would tell what the node's settings are.
    ...(proc ? bareEnvironment() : []),
    'bwrap',
    '--unshare-all',
    '--unshare-user',
    '--die-with-parent',
    ...['--cap-drop', 'ALL'],
    '--clearenv',
    ...['--setenv', 'PATH', '/usr/local/bin:/usr/bin:/bin'],
    ...['--ro-bind', '/usr', '/usr'],
    ...['/bin', '/sbin', '/lib', '/lib64'].flatMap(systemPath),
    ...['--ro-bind-try', '/etc/alternatives', '/etc/alternatives'],
    ...['--ro-bind-try', '/etc/ld.so.cache', '/etc/ld.so.cache'],
    ...['--dev', '/dev'],
    ...(gpu ? gpuWords() : []),
    ...(proc ? ['--proc', '/proc'] : []),
    ...['--tmpfs', '/tmp'],
    ...read.flatMap((path) => ['--ro-bind', path, path]),
    ...write.flatMap((path) => ['--bind', path, path]),
    ...['--chdir', '/tmp'],
    '--',
  ]
}

/** The files of NVIDIA's driver by which an encoder reaches a GPU: its devices, and those that all share. */
const gpuFile = /^nvidia(?:\d+|ctl|-uvm|-caps)$/

/** Which of the machine's GPUs is the node's own (main.ts). */
function gpuVariables(): [string, string][] {
  return ['CUDA_DEVICE_ORDER', 'CUDA_VISIBLE_DEVICES'].flatMap((name): [string, string][] => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
}

function gpuWords(): string[] {
  const names = readdirSync('/dev').filter((name) => gpuFile.test(name))
  const files = names.map((name) => `/dev/${name}`)
  return [
    ...files.flatMap((file) => ['--dev-bind', file, file]),
    ...gpuVariables().flatMap((variable) => ['--setenv', ...variable]),
  ]
}

/** /lib and its like are links into /usr on most systems and directories on some. */
function systemPath(path: string): string[] {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  if (!entry) return []
  return entry.isSymbolicLink()
    ? ['--symlink', readlinkSync(path), path]
    : ['--ro-bind', path, path]
}

/** Ends with the program, or kills it at the timeout or the abort. */
export async function runProgram({
  words,
  args,
  timeoutMs,
  signal,
  onStdout,
}: {
  words: readonly string[]
  args: readonly string[]
  timeoutMs: number
  signal?: AbortSignal
  onStdout?: (chunk: Buffer) => void
}): Promise<Ended> {
  signal?.throwIfAborted()
  const [command = '', ...rest] = [...words, ...args]
  const began = performance.now()
  const child = spawn(command, rest, { stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  const stdout = onStdout ? () => '' : keepStart(child.stdout, stdoutMaxBytes)
  if (onStdout) child.stdout.on('data', onStdout)
  const stderr = keepTail(child.stderr, stderrTailBytes)
  let timedOut = false
  const kill = () => killGroup(child)
  const timer = setTimeout(() => {
    timedOut = true
    kill()
  }, timeoutMs)
  signal?.addEventListener('abort', kill, { once: true })
  const exitCode = await exitOf(child)
  clearTimeout(timer)
  signal?.removeEventListener('abort', kill)
  signal?.throwIfAborted()
  return {
    exitCode,
    seconds: (performance.now() - began) / 1000,
    stderrTail: stderr(),
    timedOut,
    stdout: stdout(),
  }
}

/**
 * Ends a program that was started `detached`, and so leads a group, with all that is in the group. A bwrap that
 * is killed alone in its first 30 ms, before its child has asked to end with it, leaves that to run on.
 */
export function killGroup(child: ChildProcess): void {
  // Once it has ended, its number may be another's.
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch (error) {
    // All of them have ended by themselves.
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

/** Resolves when the program has ended and its output is read to the end. */
export function exitOf(child: ReturnType<typeof spawn>): Promise<number> {
  return new Promise((resolve) => {
    child.once('error', () => resolve(127))
    child.once('close', (code, name) => resolve(code ?? 128 + (signalNumbers[name ?? ''] ?? 0)))
  })
}

function keepStart(stream: NodeJS.ReadableStream, maxBytes: number): () => string {
  const chunks: Buffer[] = []
  let bytes = 0
  stream.on('data', (chunk: Buffer) => {
    if (bytes < maxBytes) chunks.push(chunk)
    bytes += chunk.length
  })
  return () => Buffer.concat(chunks).subarray(0, maxBytes).toString()
}

/** Keeps the last bytes a stream says, for the log. */
export function keepTail(stream: NodeJS.ReadableStream, maxBytes: number): () => string {
  let tail = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-maxBytes)
  })
  return () => tail.toString()
}
