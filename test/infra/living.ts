import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim()
  } catch {
    return '' // it ended between the listing and the reading
  }
}

function allCommands(): string[] {
  if (process.platform !== 'linux') {
    return execFileSync('ps', ['-A', '-o', 'command='], { encoding: 'utf8' }).split('\n')
  }
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(commandOf)
}

/** Command lines of living processes that contain `text`. */
export function livingWith(text: string): string[] {
  return allCommands().filter((command) => command.includes(text))
}

/** Polls until no process has `text` in its command line; answers those left after 40 s. */
export async function leftAfterAWhile(text: string): Promise<string[]> {
  const deadline = Date.now() + 40_000
  while (livingWith(text).length > 0 && Date.now() < deadline) await sleep(50)
  return livingWith(text)
}
