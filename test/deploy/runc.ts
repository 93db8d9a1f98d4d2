import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Program of a container and its security, as the chart's worker has them. */
export type Container = {
  readonly args: readonly string[]
  /** File of deploy/seccomp. */
  readonly profile: string
  /** Hides parts of /proc, as Kubernetes does with `procMount: Default`. */
  readonly isMasked: boolean
  /** Maps user 0 of the container to another of the machine (`hostUsers: false`). */
  readonly hasUserNamespace: boolean
}

const user = 10_001
const firstId = 1_000_000
const seccomp = new URL('../../deploy/seccomp/', import.meta.url)

/** Paths of /proc that runtimes hide or protect (containerd 2.4). */
const masked = ['acpi', 'asound', 'interrupts', 'kcore', 'keys', 'latency_stats', 'scsi']
  .concat(['sched_debug', 'timer_list', 'timer_stats'])
  .map((name) => `/proc/${name}`)
const readOnly = ['bus', 'fs', 'irq', 'sys', 'sysrq-trigger'].map((name) => `/proc/${name}`)

/** Says why no container can be run here; undefined where one can. */
export function whyNoRunc(): string | undefined {
  if (process.platform !== 'linux') return 'containers need Linux'
  if (process.getuid?.() !== 0) return 'runc needs root here'
  if (spawnSync('runc', ['--version']).status !== 0) return 'runc is not on PATH'
  return undefined
}

/**
 * Runs a program in a container: user 10001, no capabilities, no new privileges, a read-only root of
 * this machine's programs, and network of its own. Returns its exit code and all that it printed.
 */
export function runInContainer(container: Container): { status: number | null; output: string } {
  const bundle = mkdtempSync(join(tmpdir(), 'farm-test-runc-'))
  // A mapped user enters no folder of mode 700.
  chmodSync(bundle, 0o755)
  mkdirSync(join(bundle, 'root'))
  try {
    makeRoot(join(bundle, 'root'))
    writeFileSync(join(bundle, 'config.json'), JSON.stringify(specOf(container)))
    const id = bundle.split('-').at(-1) ?? ''
    const state = ['--root', join(bundle, 'state')]
    const { status, stdout, stderr } = spawnSync(
      'runc',
      [...state, 'run', '--bundle', bundle, `farm-${id}`],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 },
    )
    return { status, output: `${stdout}${stderr}` }
  } finally {
    rmSync(bundle, { recursive: true, force: true })
  }
}

function makeRoot(root: string): void {
  for (const name of ['usr', 'etc', 'proc', 'dev', 'sys', 'tmp', 'var']) mkdirSync(join(root, name))
  for (const name of ['bin', 'lib', 'lib64', 'sbin']) symlinkSync(`usr/${name}`, join(root, name))
}

const bind = (path: string) => ({
  ...{ destination: path, source: path, type: 'bind' },
  options: ['rbind', 'ro', 'nosuid'],
})
const fresh = (destination: string, mode: string) => ({
  ...{ destination, type: 'tmpfs', source: 'tmpfs' },
  options: ['nosuid', `mode=${mode}`],
})

/** Returns the specification of the OCI runtime. */
function specOf({ args, profile, isMasked, hasUserNamespace }: Container): object {
  const mapping = [{ containerID: 0, hostID: firstId, size: 65_536 }]
  return {
    ociVersion: '1.0.2',
    root: { path: 'root', readonly: true },
    process: {
      ...{ args, cwd: '/tmp', user: { uid: user, gid: user }, noNewPrivileges: true },
      env: ['PATH=/usr/local/bin:/usr/bin:/bin', 'HOME=/tmp'],
      capabilities: {},
    },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      fresh('/dev', '755'),
      fresh('/dev/shm', '1777'),
      fresh('/tmp', '1777'),
      bind('/usr'),
      bind('/etc'),
    ],
    linux: {
      namespaces: [
        ...['pid', 'ipc', 'uts', 'mount', 'network'].map((type) => ({ type })),
        ...(hasUserNamespace ? [{ type: 'user' }] : []),
      ],
      ...(hasUserNamespace ? { uidMappings: mapping, gidMappings: mapping } : {}),
      ...(isMasked ? { maskedPaths: masked, readonlyPaths: readOnly } : {}),
      seccomp: JSON.parse(readFileSync(new URL(profile, seccomp), 'utf8')),
    },
  }
}
