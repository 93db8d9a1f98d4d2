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
