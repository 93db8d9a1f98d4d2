import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { onPath } from '../setup/cache.mjs'

/** Programs that build images, the best first. */
const builders = ['buildah', 'podman', 'docker'] as const

export type Builder = { readonly name: (typeof builders)[number]; readonly path: string }

/**
 * Finds the program that builds images. `wanted`: its name; absent: the best one. Docker does not see
 * images of the others. @throws Error where it is not on PATH
 */
export function findBuilder(wanted?: string): Builder {
  const allowed = wanted === undefined ? builders : builders.filter((name) => name === wanted)
  for (const name of allowed) {
    const path = onPath(name)
    if (path !== undefined) return { name, path }
  }
  if (allowed.length === 0) {
    throw new Error(`the builder must be one of ${builders.join(', ')}. Got ${wanted}`)
  }
  throw new Error(`${wanted ?? `one of ${builders.join(', ')}`} must be on PATH`)
}

/**
 * Runs a program that gives way to everything else on the machine, with its output on the terminal.
 * @throws Error when it fails
 */
export function mustRunGently(
  command: readonly string[],
  { cwd, env = {} }: { cwd?: string; env?: Readonly<Record<string, string>> } = {},
): void {
  const gently = onPath('ionice') ? ['nice', '-n', '19', 'ionice', '-c3'] : ['nice', '-n', '19']
  const [program = '', ...args] = [...gently, ...command]
  const { status } = spawnSync(program, args, {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, ...engineEnv(), ...env },
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error(`${command.slice(0, 2).join(' ')} ended with ${status}`)
}

/**
 * Arguments that give a build the secrets of the machine: where npm's packages come from, and the
 * authority that signs there. They are mounted while a step runs and are in no layer.
 */
export function buildSecrets(env: NodeJS.ProcessEnv): string[] {
  const secrets = {
    npmrc: env.NPM_CONFIG_USERCONFIG ?? join(homedir(), '.npmrc'),
    ca: env.NODE_EXTRA_CA_CERTS ?? '',
  }
  return Object.entries(secrets)
    .filter(([, file]) => file !== '' && existsSync(file))
    .flatMap(([id, file]) => ['--secret', `id=${id},src=${file}`])
}

let conf: string | undefined

/**
 * Returns environment for buildah and podman. Without systemd, as in a container or a small virtual
 * machine, they get a configuration of their own: control groups by files, runc where it is
 * installed, and limits that this machine has. Elsewhere the machine's own configuration holds.
 */
export function engineEnv(): Record<string, string> {
  if (existsSync('/run/systemd/system') || process.env.CONTAINERS_CONF) return {}
  conf ??= writeConf()
  return { CONTAINERS_CONF: conf, ...(onPath('runc') ? { BUILDAH_RUNTIME: 'runc' } : {}) }
}

function writeConf(): string {
  const folder = mkdtempSync(join(tmpdir(), 'farm-containers-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const limits = readFileSync('/proc/self/limits', 'utf8')
  const limitOf = (title: string, most: number) => {
    const [, soft] = new RegExp(`^${title} +(\\d+)`, 'm').exec(limits) ?? []
    return Math.min(Number(soft ?? most), most)
  }
  const ulimits = {
    nofile: limitOf('Max open files', 16_384),
    nproc: limitOf('Max processes', 8_192),
  }
  const lines = [
    '[engine]',
    'cgroup_manager = "cgroupfs"',
    'events_logger = "file"',
    ...(onPath('runc') ? ['runtime = "runc"'] : []),
    '[containers]',
    `default_ulimits = [${Object.entries(ulimits)
      .map(([name, value]) => `"${name}=${value}:${value}"`)
      .join(', ')}]`,
  ]
  const file = join(folder, 'containers.conf')
  writeFileSync(file, `${lines.join('\n')}\n`)
  return file
}
