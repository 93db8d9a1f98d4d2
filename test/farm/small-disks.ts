import { spawnSync } from 'node:child_process'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Farm } from './running-farm.ts'

/** Folders below the farm's data folder, each with the size of its file system as mount takes it. */
export type Disks = Readonly<Record<string, string>>

/** Why no file system can be mounted here; undefined when one can. */
export function whyNoDisks(): string | undefined {
  if (process.platform !== 'linux') return 'private mounts exist on Linux only'
  const { status, error, stderr } = spawnSync(
    'unshare',
    ['--mount', 'mount', '-t', 'tmpfs', 'farm-test', '/mnt'],
    { encoding: 'utf8' },
  )
  if (status === 0) return undefined
  return `mounting needs root: ${error?.message ?? stderr.trim()}`
}

/**
 * The command as it runs with its disks: in a mount namespace of its own, so that no mount outlives
 * it, or is seen by anybody else.
 */
export function onDisks(
  data: string,
  disks: Disks,
  [command = '', ...args]: readonly string[],
): { readonly command: string; readonly args: readonly string[] } {
  const mounts = Object.entries(disks).map(([folder, size]) => {
    const path = join(data, folder)
    return `mkdir -p '${path}' && mount -t tmpfs -o size=${size} farm-test '${path}' && `
  })
  if (mounts.length === 0) return { command, args }
  const script = `${mounts.join('')}exec "$0" "$@"`
  return { command: 'unshare', args: ['--mount', 'sh', '-c', script, command, ...args] }
}

const ballast = 'ballast'

/** A path below the farm's data folder, as the farm sees it behind its mounts. */
function seenBy({ pid, data }: Farm, path: string): string {
  return join(`/proc/${pid}/root`, data, path)
}

/** Fills a disk until so many bytes are free. */
export async function fillDisk(farm: Farm, folder: string, freeBytes = 0): Promise<void> {
  await freeDisk(farm, folder)
  const { bavail, bsize } = await statfs(seenBy(farm, folder))
  const bytes = Math.max(0, bavail * bsize - freeBytes)
  await writeFile(seenBy(farm, join(folder, ballast)), Buffer.alloc(bytes))
}

/** Takes away what `fillDisk` put there. */
export async function freeDisk(farm: Farm, folder: string): Promise<void> {
  await rm(seenBy(farm, join(folder, ballast)), { force: true })
}
