import { access, mkdir, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { familyOf } from '../processor-time.ts'

const root = '/sys/fs/cgroup'
const periodMicroseconds = 100_000

/**
 * Holds a process with all its descendants, also later ones, to a share of a core by a control group of its
 * own. Needs root on Linux, with control groups of version 1 or 2. @returns frees the group once they have ended
 */
export async function holdToCores(pid: number, cores: number): Promise<() => Promise<void>> {
  const isFirst = await access(join(root, 'cpu')).then(
    () => true,
    () => false,
  )
  const group = join(root, ...(isFirst ? ['cpu'] : []), `farm-bench-${pid}`)
  const quota = Math.round(cores * periodMicroseconds)
  await mkdir(group)
  if (isFirst) {
    await writeFile(join(group, 'cpu.cfs_period_us'), String(periodMicroseconds))
    await writeFile(join(group, 'cpu.cfs_quota_us'), String(quota))
  } else await writeFile(join(group, 'cpu.max'), `${quota} ${periodMicroseconds}`)
  for (const each of await familyOf(pid)) {
    // A process may have ended after the listing.
    await writeFile(join(group, 'cgroup.procs'), String(each)).catch(() => undefined)
  }
  return () => rmdir(group).catch(() => undefined)
}
