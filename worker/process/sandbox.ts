import { lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type { Readable } from 'node:stream'
import { programPath } from './ffmpeg.ts'
import { type Ended, runProgram } from './programs.ts'

/**
 * Fence for programs that read strangers' files. `bwrap`: own namespaces, no network, a read-only
 * system and only the named directories. `prlimit` bounds memory, processor time and file size,
 * inside bwrap and where it does not work; inside it also the number of processes.
 */
export type SandboxMode = 'off' | 'auto' | 'require'

export type SandboxState = {
  readonly level: 'bwrap' | 'prlimit' | 'none'
  /** One sentence for `farm doctor`. */
  readonly reason: string
}

/** Resource limits of a program. Memory is private writable memory (RLIMIT_DATA). */
export type Limits = {
  readonly memoryBytes: number
  readonly cpuSeconds: number
  readonly fileBytes: number
  /**
   * Processes and threads together; enforced inside bwrap only. Absent: as many as a decoder needs.
   */
  readonly processes?: number
}

export type Fence = {
  /**
   * Absolute paths that it may read, and paths that it may also write. The rest of the disk is
   * hidden.
   */
  readonly read: readonly string[]
  readonly write: readonly string[]
  /** Mounts a /proc, which shows its own processes only; not every container can provide one. */
  readonly proc?: boolean
  /** Gives access to the node's GPU through the files of NVIDIA's driver; this implies a /proc. */
  readonly gpu?: boolean
  readonly limits: Limits
}

export type Run = {
  readonly program: string
  readonly args: readonly string[]
  /** Absent = the farm's own work on its own data, which needs no fence. */
  readonly fence?: Fence
  readonly timeoutMs: number
  readonly signal?: AbortSignal
  /** Sent to the program; a failure of the stream kills it and rejects. */
  readonly stdin?: Readable
  /** Receives the program's output as it comes, instead of `stdout`. */
  readonly onStdout?: (chunk: Buffer) => void
}

export type Sandbox = {
  readonly state: SandboxState
  /** Returns the argv that runs `program` inside the fence. Start it in a session of its own. */
  commandLine(program: string, fence: Fence): readonly string[]
  /**
   * Runs a program. A failing program does not reject; an abort rejects with the signal's reason.
   */
  run(run: Run): Promise<Ended>
}

/**
 * Most threads and processes of ffmpeg, Node and libvips. RLIMIT_NPROC counts all processes of the
 * user, so it is set only inside bwrap's own user namespace.
 */
const processesMax = 128

const probeLimits: Limits = { memoryBytes: 2 ** 30, cpuSeconds: 10, fileBytes: 2 ** 20 }

/**
 * Probes which fence works here. @throws Error when the mode is `require` and bwrap does not work
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
      const argv = fence ? commandLine(rest.program, fence) : [programPath(rest.program)]
      return runProgram({ ...rest, argv })
    },
  }
}

/** Returns the fence that `createSandbox` would use, for `farm doctor`. */
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

async function probe(argv: readonly string[]): Promise<string | undefined> {
  const ended = await runProgram({ argv, args: [], timeoutMs: 10_000 })
  if (ended.exitCode === 0) return undefined
  return ended.stderrTail.trim().split('\n').at(-1) || `exit code ${ended.exitCode}`
}

function fenced(level: SandboxState['level'], name: string, fence: Fence): readonly string[] {
  const program = programPath(name)
  const own = name !== program && isAbsolute(program) ? [program] : []
  switch (level) {
    case 'bwrap':
      return [
        ...bwrapArgv({ ...fence, read: [...own, ...fence.read] }),
        ...prlimitArgv(fence.limits, [`--nproc=${fence.limits.processes ?? processesMax}`]),
        program,
      ]
    case 'prlimit':
      return [
        ...bareEnvironment(),
        ...(fence.gpu ? gpuVariables().map(([name, value]) => `${name}=${value}`) : []),
        ...prlimitArgv(fence.limits),
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
function prlimitArgv(
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
 * bwrap gets no session of its own (`--new-session`): it would leave its parent's process group
 * before it asks to die with its parent. Killed in between, it would run on for good. Instead each
 * caller starts a session, which has no terminal and whose group includes all processes.
 */
function bwrapArgv({ read, write, gpu = false, proc = gpu }: Fence): string[] {
  return [
    // bwrap is process 1 behind the fence, and its /proc would expose the node's settings.
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
    ...(gpu ? gpuArgv() : []),
    ...(proc ? ['--proc', '/proc'] : []),
    ...['--tmpfs', '/tmp'],
    ...read.flatMap((path) => ['--ro-bind', path, path]),
    ...write.flatMap((path) => ['--bind', path, path]),
    ...['--chdir', '/tmp'],
    '--',
  ]
}

/**
 * Device files of NVIDIA's driver through which an encoder reaches a GPU, including the shared
 * ones.
 */
const gpuFile = /^nvidia(?:\d+|ctl|-uvm|-caps)$/

/** Variables that select the node's own GPU (main.ts). */
function gpuVariables(): [string, string][] {
  return ['CUDA_DEVICE_ORDER', 'CUDA_VISIBLE_DEVICES'].flatMap((name): [string, string][] => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value]]
  })
}

function gpuArgv(): string[] {
  const names = readdirSync('/dev').filter((name) => gpuFile.test(name))
  const files = names.map((name) => `/dev/${name}`)
  return [
    ...files.flatMap((file) => ['--dev-bind', file, file]),
    ...gpuVariables().flatMap((variable) => ['--setenv', ...variable]),
  ]
}

/** /lib and similar paths are links into /usr on most systems and directories on some. */
function systemPath(path: string): string[] {
  const entry = lstatSync(path, { throwIfNoEntry: false })
  if (!entry) return []
  return entry.isSymbolicLink()
    ? ['--symlink', readlinkSync(path), path]
    : ['--ro-bind', path, path]
}
