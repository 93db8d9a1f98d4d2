import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const launcher = new URL('../../farm', import.meta.url).pathname

/** The environment without what would lead a command to some farm or server of this machine. */
function bareEnv(more: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { FARM_URL, FARM_API_KEY, DATABASE_URL, TEMPORAL_ADDRESS, FARM_OBJECTS, ...rest } =
    process.env
  return { ...rest, NO_COLOR: '1', FORCE_COLOR: '0', ...more }
}

export type Ended = { readonly code: number | null; readonly out: string; readonly err: string }

/** Starts `farm ARGS`; `ended` resolves with all it said. */
export function startFarmCommand(
  args: readonly string[],
  { env = {}, cwd }: { env?: Record<string, string>; cwd?: string } = {},
) {
  const child = spawn(launcher, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: bareEnv(env),
    ...(cwd && { cwd }),
  })
  let out = ''
  let err = ''
  const waiting: (() => void)[] = []
  const wake = () => {
    for (const each of waiting.splice(0)) each()
  }
  child.stdout.on('data', (chunk) => {
    out += chunk
    wake()
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
    wake()
  })
  const ended = new Promise<Ended>((resolve) => {
    child.once('close', (code) => {
      resolve({ code, out, err })
      wake()
    })
  })
  /** Resolves when what it said on either stream matches; rejects when it ends before. */
  async function said(pattern: RegExp): Promise<string> {
    for (;;) {
      const text = out + err
      if (pattern.test(text)) return text
      if (child.exitCode !== null) throw new Error(`It ended without ${pattern}:\n${text}`)
      await new Promise<void>((resolve) => waiting.push(resolve))
    }
  }
  return { child, ended, said }
}

/** Runs `farm ARGS` to its end. */
export async function farm(
  args: readonly string[],
  options: { env?: Record<string, string>; cwd?: string } = {},
): Promise<Ended> {
  return await startFarmCommand(args, options).ended
}

export function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'farm-cli-'))
}
