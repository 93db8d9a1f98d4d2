import type { ChildProcess } from 'node:child_process'
import { symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import ffmpeg, { type FfmpegCommand } from 'fluent-ffmpeg'
import { programPath } from './ffmpeg.ts'
import { type Ended, killGroup } from './programs.ts'
import type { Fence, Sandbox } from './sandbox.ts'

/**
 * Runs one-shot ffmpeg commands; no other file uses fluent-ffmpeg. The library finds its programs
 * by path alone, so a fence is written to a script and becomes such a path.
 */
export type OneShot = {
  readonly inputs: readonly {
    readonly source: string | Readable
    readonly options: readonly string[]
  }[]
  readonly outputs: readonly {
    /** A path, or `-` with a null muxer. */
    readonly target: string
    readonly options: readonly string[]
  }[]
}

export type FfmpegOptions = {
  readonly sandbox: Sandbox
  /** Absent = the farm's own files. */
  readonly fence?: Fence
  /** Task directory for the script, outside of the fence. */
  readonly dir: string
  readonly timeoutMs: number
  readonly signal?: AbortSignal
}

const stderrTailBytes = 4_096
const execArgv = fileURLToPath(new URL('exec-argv.sh', import.meta.url))

/** Runs one command of ffmpeg to its end. Rejects only when aborted. */
export async function runFfmpeg(shot: OneShot, options: FfmpegOptions): Promise<Ended> {
  options.signal?.throwIfAborted()
  const command = commandOf(shot)
  const path = options.fence ? await fencedPath(options.fence, options) : programPath('ffmpeg')
  // fluent-ffmpeg caches paths for the whole process; a fence belongs to one command.
  Object.assign(command, {
    _getFfmpegPath: (done: (error: null, path: string) => void) => done(null, path),
  })
  return runCommand(command, options)
}

function fencedPath(fence: Fence, options: FfmpegOptions): Promise<string> {
  const argv = options.sandbox.commandLine('ffmpeg', fence)
  return writeScript([...ownSession(options), ...argv], options)
}

function commandOf({ inputs, outputs }: OneShot): FfmpegCommand {
  const command = ffmpeg({ stdoutLines: 200 })
  // fluent-ffmpeg parses lists of ffmpeg's abilities, whose format changed in ffmpeg 7.1: it would
  // refuse working commands. ffmpeg itself reports what it cannot do.
  Object.assign(command, { _checkCapabilities: (done: () => void) => done() })
  for (const input of inputs) {
    command.input(input.source)
    if (input.options.length > 0) command.inputOptions(...input.options)
  }
  for (const { target, options } of outputs) command.output(target).outputOptions(...options)
  return command
}

function runCommand(
  command: FfmpegCommand,
  { timeoutMs, signal }: Pick<FfmpegOptions, 'timeoutMs' | 'signal'>,
): Promise<Ended> {
  const began = performance.now()
  let timedOut = false
  return new Promise((resolve, reject) => {
    const kill = () => killStarted(command)
    const timer = setTimeout(() => {
      timedOut = true
      kill()
    }, timeoutMs)
    const end = (exitCode: number, stdout: string | null, stderr: string | null) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', kill)
      if (signal?.aborted) return reject(signal.reason)
      resolve({
        exitCode,
        seconds: (performance.now() - began) / 1000,
        stderrTail: (stderr ?? '').slice(-stderrTailBytes),
        timedOut,
        stdout: stdout ?? '',
      })
    }
    command.on('start', () => {
      signal?.addEventListener('abort', kill, { once: true })
      if (signal?.aborted) kill()
    })
    command.on('end', (stdout, stderr) => end(0, stdout, stderr))
    command.on('error', (error, stdout, stderr) =>
      end(exitCodeIn(error), stdout, stderr || error.message),
    )
    command.run()
  })
}

/**
 * Kills the command and its children once it leads a process group. Before that only the script
 * exists, which may become a leader between two tries.
 */
function killStarted(command: FfmpegCommand): void {
  const { ffmpegProc } = command as FfmpegCommand & { readonly ffmpegProc?: ChildProcess }
  if (!ffmpegProc) return
  killGroup(ffmpegProc)
  ffmpegProc.kill('SIGKILL')
  killGroup(ffmpegProc)
}

function exitCodeIn(error: Error): number {
  const code = /exited with code (\d+)/.exec(error.message)?.[1]
  return code === undefined ? 137 : Number(code)
}

/**
 * Returns a path that runs `argv`: a link to a constant script, beside a file with the command. A
 * freshly written script may fail to start (ETXTBSY): any process forked meanwhile holds it open
 * for writing until its exec.
 */
async function writeScript(argv: readonly string[], { dir }: FfmpegOptions): Promise<string> {
  const path = join(dir, `fenced-${crypto.randomUUID()}`)
  const line = argv.map((arg) => `'${arg.replaceAll("'", "'\\''")}'`).join(' ')
  await writeFile(`${path}.argv`, `exec ${line} "$@"\n`, { mode: 0o600 })
  await symlink(execArgv, path)
  return path
}

/**
 * Starts a session, as fluent-ffmpeg cannot. `setsid` comes with util-linux, as prlimit does: on
 * Linux.
 */
function ownSession({ sandbox }: FfmpegOptions): string[] {
  return sandbox.state.level === 'none' ? [] : ['setsid']
}
