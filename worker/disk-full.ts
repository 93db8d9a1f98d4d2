import { statfs } from 'node:fs/promises'
import { FarmError } from '../core/errors.ts'

export const diskFullMessage = 'A machine of the farm has no room on its disk.'

const codes: readonly unknown[] = ['ENOSPC', 'EDQUOT']
/** As Node and the programs it starts say it. */
const words = /ENOSPC|EDQUOT|No space left on device|Disk quota exceeded/i

/**
 * Whether a full disk is at the bottom of an error: by its code, or by what a program said in the
 * text that it carries. A decoder that cannot write must not pass for a damaged file.
 */
export function isDiskFull(error: unknown): boolean {
  if (typeof error === 'string') return words.test(error)
  if (!(error instanceof Error)) return false
  // The words of a FarmError may be the customer's.
  if (error instanceof FarmError) return error.code === 'disk_full' || isDiskFull(error.cause)
  const code = 'code' in error ? error.code : undefined
  return codes.includes(code) || words.test(error.message) || isDiskFull(error.cause)
}

/**
 * Whether the disk of `dir` has less room than work needs. A program that could not write may end as if
 * it had, and what it left is then found broken by who reads it, in words that do not speak of the disk;
 * by then another task that failed may have left a little room again.
 */
export async function isWithoutRoom(dir: string): Promise<boolean> {
  return (await roomReason(dir)) !== ''
}

/** What a small shard may need for its pictures and segments. */
const roomLeastBytes = 256 * 2 ** 20
/** Of a small disk less is kept free, or it would never take work. */
const roomLeastShare = 0.05

/** A full node leaves its work to others for so long, then tries again for a moment. */
const leftToOthersMs = 15_000
const triedAgainMs = 5_000

/**
 * Asked again and again: why a node whose work lies in `dir` takes none now; '' when it may. A farm
 * all of whose disks are full must fail its jobs with that reason, not let them wait for ever: so
 * now and then a full node takes work all the same.
 */
export function watchRoom(dir: string): () => Promise<string> {
  let fullSince: number | undefined
  return async () => {
    const reason = await roomReason(dir)
    if (reason === '') {
      fullSince = undefined
      return ''
    }
    fullSince ??= performance.now()
    const inTurn = (performance.now() - fullSince) % (leftToOthersMs + triedAgainMs)
    return inTurn < leftToOthersMs ? reason : ''
  }
}

async function roomReason(dir: string): Promise<string> {
  const { bavail, bsize, blocks } = await statfs(dir)
  const least = Math.min(roomLeastBytes, roomLeastShare * blocks * bsize)
  const free = bavail * bsize
  if (free >= least) return ''
  return `its disk is full: ${megabytes(free)} MB free, work needs ${megabytes(least)} MB`
}

function megabytes(bytes: number): number {
  return Math.floor(bytes / 2 ** 20)
}
