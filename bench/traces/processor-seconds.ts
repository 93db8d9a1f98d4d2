import { readdir, readFile } from 'node:fs/promises'

const ticksASecond = 100

/**
 * Returns the processor seconds so far of every process that has `text` in its command line or
 * environment, and of its ended children. Linux only.
 */
export async function processorSeconds(text: string): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const seconds = await Promise.all(pids.map((pid) => secondsOf(`/proc/${pid}`, text)))
  return seconds.reduce((sum, each) => sum + each, 0)
}

async function secondsOf(process: string, text: string): Promise<number> {
  try {
    const about = await Promise.all(
      ['cmdline', 'environ'].map((file) => readFile(`${process}/${file}`, 'utf8')),
    )
    if (!about.join().includes(text)) return 0
    const stat = await readFile(`${process}/stat`, 'utf8')
    // Fields follow the name, which may contain anything: utime, stime, cutime and cstime are 14 to
    // 17.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksASecond
  } catch {
    return 0 // ended between the listing and the reading
  }
}
