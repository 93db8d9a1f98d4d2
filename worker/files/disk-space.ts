import { statfs } from 'node:fs/promises'
import { FarmError } from '../../core/errors.ts'

export const diskFullMessage = 'A machine of the farm has no room on its disk.'

const codes: readonly unknown[] = ['ENOSPC', 'EDQUOT']
/** Wording of Node and of the programs that it starts. */
const words = /ENOSPC|EDQUOT|No space left on device|Disk quota exceeded/i

/**
 * Returns whether a full disk caused the error: by its code, or by a program's message that it
 * carries. A decoder that cannot write must not be mistaken for a damaged file.
 */
export function isDiskFullError(error: unknown): boolean {
  if (typeof error === 'string') return words.test(error)
  if (!(error instanceof Error)) return false
  // The text of a FarmError may contain the customer's own words.
  if (error instanceof FarmError) return error.code === 'disk_full' || isDiskFullError(error.cause)
  const code = 'code' in error ? error.code : undefined
  return codes.includes(code) || words.test(error.message) || isDiskFullError(error.cause)
}

/**
 * Returns whether the disk of `dir` has less room than work needs. A program that could not write
 * may still exit with success, and its broken output then fails elsewhere with an unrelated
 * message. By then another failed task may have freed a little room again.
 */
export async function isDiskFull(dir: string): Promise<boolean> {
  return (await diskFullReason(dir)) !== ''
}

/** Room that a small shard may need for its pictures and segments. */
const minFreeBytes = 256 * 2 ** 20
/** Small disks keep a smaller share free, or the node would never take work. */
const minFreeShare = 0.05

/** Time that a full node refuses work, and time that it then takes some again. */
const leftToOthersMs = 15_000
const triedAgainMs = 5_000

/**
 * Returns a function that is polled for the reason why a node whose work lies in `dir` takes no
 * work; '' when it may. A farm whose disks are all full must fail its jobs with that reason instead
 * of waiting for ever: so a full node takes work now and then.
 */
export function watchDiskSpace(dir: string): () => Promise<string> {
  let fullSince: number | undefined
  return async () => {
    const reason = await diskFullReason(dir)
    if (reason === '') {
      fullSince = undefined
      return ''
    }
    fullSince ??= performance.now()
    const inTurn = (performance.now() - fullSince) % (leftToOthersMs + triedAgainMs)
    return inTurn < leftToOthersMs ? reason : ''
  }
}

async function diskFullReason(dir: string): Promise<string> {
  const { bavail, bsize, blocks } = await statfs(dir)
  const least = Math.min(minFreeBytes, minFreeShare * blocks * bsize)
  const free = bavail * bsize
  if (free >= least) return ''
  return `its disk is full: ${megabytes(free)} MB free, work needs ${megabytes(least)} MB`
}

function megabytes(bytes: number): number {
  return Math.floor(bytes / 2 ** 20)
}
