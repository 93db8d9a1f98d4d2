import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { imageName } from '../../infra/image/build.ts'
import { engineEnv } from '../../infra/image/engine.ts'

const profile = fileURLToPath(new URL('../../deploy/seccomp/farm-worker.json', import.meta.url))

export type Target = 'control' | 'worker'

/** Runs podman to its end. @throws Error with what it says when it fails */
export function podman(...args: readonly string[]): string {
  const env = { ...process.env, ...engineEnv() }
  const { status, stdout, stderr } = spawnSync('podman', args, { env, encoding: 'utf8' })
  if (status === 0) return stdout.trim()
  throw new Error(`podman ${args[0]} ended with ${status}: ${stderr}`)
}

/** Says why the images cannot be tried here; undefined where they can. */
export function whyNoImages(): string | undefined {
  if (!process.env.FARM_IMAGE_TESTS) return '`npm run image:test` tries them'
  try {
    for (const target of ['control', 'worker'] as const)
      podman('image', 'exists', imageName(target))
    return undefined
  } catch {
    return '`npm run image` has not built them, or podman does not run here'
  }
}

/**
 * Arguments that keep a container as the chart keeps its pods: user 10001, no capabilities, no new
 * privileges, a read-only root, the workers' seccomp profile and an unmasked /proc.
 */
export const confined = [
  ...['--network', 'host', '--read-only', '--read-only-tmpfs=false', '--tmpfs', '/tmp:mode=1777'],
  ...['--user', '10001:10001', '--cap-drop', 'all', '--shm-size', '512m'],
  ...['--security-opt', 'no-new-privileges', '--security-opt', `seccomp=${profile}`],
  ...['--security-opt', 'unmask=ALL'],
]

/** Starts a container of a role; `env`: its settings; `data`: a folder of user 10001. */
export function startRole(
  target: Target,
  {
    name,
    data,
    env,
    args,
  }: {
    name: string
    data: string
    env: Readonly<Record<string, string>>
    args: readonly string[]
  },
) {
  const settings = Object.entries(env).flatMap(([key, value]) => ['--env', `${key}=${value}`])
  podman(
    ...['run', '--detach', '--name', name, ...confined, '--volume', `${data}:/data`, ...settings],
    ...[imageName(target), ...args],
  )
  return {
    logs() {
      const env = { ...process.env, ...engineEnv() }
      const { stdout, stderr } = spawnSync('podman', ['logs', name], { env, encoding: 'utf8' })
      return `${stdout}${stderr}`
    },
    isRunning: () => podman('inspect', '--format', '{{.State.Running}}', name) === 'true',
    inside: (...command: readonly string[]) => podman('exec', name, ...command),
    stop: () => podman('stop', '--time', '30', name),
    remove: () => podman('rm', '--force', '--time', '5', name),
  }
}
