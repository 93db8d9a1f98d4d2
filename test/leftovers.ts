import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

const name = 'FARM_TEST_RUN'

/** Environment mark of everything that one run of the suite starts. */
export type Mark = { readonly env: Record<string, string> }

export function createMark(): Mark {
  return { env: { [name]: randomUUID() } }
}

/**
 * Ends processes that still run with this mark, even outside its process group, and answers their
 * command lines. Empty without a /proc.
 */
export function endLeftovers(mark: Mark): string[] {
  return processesWith(`${name}=${mark.env[name]}`).flatMap((pid) => {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
      process.kill(pid, 'SIGKILL')
      return [command]
    } catch {
      return [] // it ended by itself
    }
  })
}

function processesWith(text: string): number[] {
  if (process.platform !== 'linux') return []
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))
  return pids.map(Number).filter((pid) => {
    if (pid === process.pid) return false
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(text)
    } catch {
      return false // it has ended, or is somebody else's
    }
  })
}
