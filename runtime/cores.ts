import { readFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { join, posix } from 'node:path'

/** Processor cores that this process may use, and the machine's where these are more. */
export type Cores = {
  readonly cores: number
  readonly machine: number
  /** Setting that limits the cores below the machine's; undefined when none does. */
  readonly limit: string | undefined
}

/**
 * Counts cores as a container has them. A share of the processor's time (`--cpus`, `limits.cpu`) is
 * a quota of its control group, or of one above, and Node does not read every kind. Node's own
 * number already covers the set of cores (cpuset) and the affinity.
 */
export function countCores({
  root = '/',
  allowed = availableParallelism(),
  machine = Math.max(cpus().length, allowed),
} = {}): Cores {
  const [least] = [...readQuotas(root)].sort((a, b) => a.cores - b.cores)
  if (least !== undefined && least.cores < machine && least.cores <= allowed) {
    // Rounded down: two lanes on 1.5 cores would each stand still at times.
    return { cores: Math.max(1, Math.floor(least.cores)), machine, limit: least.file }
  }
  return { cores: allowed, machine, limit: allowed < machine ? 'its set of cores' : undefined }
}

type Quota = { readonly cores: number; readonly file: string }
type Mount = {
  readonly type: string
  readonly root: string
  readonly at: string
  readonly options: readonly string[]
}

/** Yields the quotas of this process's control groups, versions 1 and 2, and of all above them. */
function* readQuotas(root: string): Generator<Quota> {
  for (const { isV2, folder } of groupFolders(root, 'cpu')) {
    const quota = isV2 ? readV2(root, folder) : readV1(root, folder)
    if (quota !== undefined) yield quota
  }
}

/** A folder of this process's control groups. */
type GroupFolder = { readonly isV2: boolean; readonly folder: string }

/** Yields the folders of this process's control groups, from the top of each to the process. */
export function* groupFolders(root: string, controller: 'cpu' | 'memory'): Generator<GroupFolder> {
  const mounts = readMounts(root)
  for (const line of readText(root, '/proc/self/cgroup').split('\n')) {
    const [, id, names = '', group = ''] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? []
    const isV2 = id === '0' && names === ''
    if (!isV2 && !names.split(',').includes(controller)) continue
    const mount = mounts.find(({ type, options }) =>
      isV2 ? type === 'cgroup2' : type === 'cgroup' && options.includes(controller),
    )
    if (mount === undefined) continue
    for (const folder of foldersOf(mount, group)) yield { isV2, folder }
  }
}

/**
 * Lists the folders from the group to the top of the mount. A container may see the machine's name
 * of its group.
 */
function foldersOf({ root, at }: Mount, group: string): string[] {
  const inside = posix.relative(root, group)
  const folders = [at]
  if (inside.startsWith('..')) return folders
  let folder = at
  for (const name of inside.split('/').filter((each) => each !== '')) {
    folder = posix.join(folder, name)
    folders.push(folder)
  }
  return folders
}

function readV2(root: string, folder: string): Quota | undefined {
  const file = posix.join(folder, 'cpu.max')
  const [quota, period] = readText(root, file).trim().split(' ')
  return toQuota(quota, period, file)
}

function readV1(root: string, folder: string): Quota | undefined {
  const file = posix.join(folder, 'cpu.cfs_quota_us')
  const period = readText(root, posix.join(folder, 'cpu.cfs_period_us'))
  return toQuota(readText(root, file).trim(), period.trim(), file)
}

/** Returns undefined for `max`, -1 and unreadable values: no quota. */
function toQuota(quota = '', period = '', file: string): Quota | undefined {
  const cores = Number.parseInt(quota, 10) / Number.parseInt(period, 10)
  return cores > 0 && Number.isFinite(cores) ? { cores, file } : undefined
}

/** Format: proc_pid_mountinfo(5). */
function readMounts(root: string): Mount[] {
  return readText(root, '/proc/self/mountinfo')
    .split('\n')
    .flatMap((line) => {
      const [own = '', system = ''] = line.split(' - ')
      const [, , , top, at] = own.split(' ')
      const [type = '', , options = ''] = system.split(' ')
      if (top === undefined || at === undefined) return []
      return [{ type, root: top, at, options: options.split(',') }]
    })
}

/** Returns an empty text where the file is missing: not Linux, or hidden. */
export function readText(root: string, path: string): string {
  try {
    return readFileSync(join(root, path), 'utf8')
  } catch {
    return ''
  }
}
