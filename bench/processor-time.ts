import { readdir, readFile } from 'node:fs/promises'

const ticksASecond = 100

type Process = { readonly parent: number; readonly seconds: number }

/**
 * Returns the processor seconds so far of each process with all its descendants, including those
 * that have ended. Linux only: elsewhere NaN.
 */
export async function processorTimes(pids: readonly number[]): Promise<readonly number[]> {
  if (process.platform !== 'linux') return pids.map(() => Number.NaN)
  const processes = await readProcesses()
  const of = (pid: number): number => {
    const children = [...processes].filter(([, { parent }]) => parent === pid)
    const own = processes.get(pid)?.seconds ?? 0
    return children.reduce((sum, [child]) => sum + of(child), own)
  }
  return pids.map(of)
}

/** Returns a process with all its descendants. Linux only. */
export async function familyOf(pid: number): Promise<readonly number[]> {
  const processes = await readProcesses()
  const of = (each: number): number[] => {
    const children = [...processes].filter(([, { parent }]) => parent === each)
    return [each, ...children.flatMap(([child]) => of(child))]
  }
  return of(pid)
}

/** Returns the descendants of a process that have `word` as an argument of their command. Linux only. */
export async function childrenNamed(pid: number, word: string): Promise<readonly number[]> {
  const named: number[] = []
  for (const each of await familyOf(pid)) {
    const line = await readFile(`/proc/${each}/cmdline`, 'utf8').catch(() => '')
    if (line.split('\0').includes(word)) named.push(each)
  }
  return named
}

async function readProcesses(): Promise<ReadonlyMap<number, Process>> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const read = await Promise.all(
    pids.map(async (pid) => [Number(pid), await readProcess(pid)] as const),
  )
  return new Map(read.flatMap(([pid, seen]) => (seen === undefined ? [] : [[pid, seen]])))
}

/** Reads a process. Undefined: it ended after the listing. */
async function readProcess(pid: string): Promise<Process | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  if (stat === undefined) return undefined
  // Fields follow the name, which may contain anything. The parent is field 4; utime, stime, cutime
  // and cstime are 14 to 17.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0)
  return { parent: Number(fields[1]), seconds: ticks / ticksASecond }
}
