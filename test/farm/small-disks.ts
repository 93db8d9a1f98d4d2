import { spawnSync } from 'node:child_process'
import { rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/**
 * Folders below the farm's data folder, each with the size of its file system as mount takes it.
 */
export type Disks = Readonly<Record<string, string>>

/** A process that sees the disks, and the folder that holds them. */
type Owner = { readonly pid: number; readonly data: string }

/** Answers why no file system can be mounted here; undefined when one can. */
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
 * Builds the prefix of a command that runs with its disks: in a mount namespace of its own, so that
 * no mount outlives it or is visible elsewhere.
 */
export function onDisks(data: string, disks: Disks): readonly string[] {
  const mounts = Object.entries(disks).map(([folder, size]) => {
    const path = join(data, folder)
    return `mkdir -p '${path}' && mount -t tmpfs -o size=${size} farm-test '${path}' && `
  })
  if (mounts.length === 0) return []
  return ['unshare', '--mount', 'sh', '-c', `${mounts.join('')}exec "$0" "$@"`]
}

const ballast = 'ballast'

/** Path below the farm's data folder, as the farm sees it behind its mounts. */
function seenBy({ pid, data }: Owner, path: string): string {
  return join(`/proc/${pid}/root`, data, path)
}

/** Fills a disk until `freeBytes` are free. */
export async function fillDisk(farm: Owner, folder: string, freeBytes = 0): Promise<void> {
  await freeDisk(farm, folder)
  const { bavail, bsize } = await statfs(seenBy(farm, folder))
  const bytes = Math.max(0, bavail * bsize - freeBytes)
  await writeFile(seenBy(farm, join(folder, ballast)), Buffer.alloc(bytes)).catch(
    (error: NodeJS.ErrnoException) => {
      // The farm has written meanwhile, so the disk is full already.
      if (error.code !== 'ENOSPC') throw error
    },
  )
}

/** Removes the file of `fillDisk`. */
export async function freeDisk(farm: Owner, folder: string): Promise<void> {
  await rm(seenBy(farm, join(folder, ballast)), { force: true })
}
