/**
 * Renders every example on a farm of its own and writes `out/examples.html`, where a person can look
 * at each: the film or still itself, and frames at chosen times. `npm run examples [NAME...]`.
 */
import { execFile } from 'node:child_process'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { type Door, download, type JobView, readJob, submit } from '../cli/render/farm-client.ts'
import { findLocalMedia, pointTo } from '../cli/render/local-media.ts'
import { type MediaServer, startMediaServer } from '../cli/render/media-server.ts'
import { openOwnFarm } from '../cli/render/own-farm.ts'
import { readProjectFile } from '../cli/render/project-file.ts'
import { page, type Shown } from './page/page.ts'
import { timesOf } from './page/times.ts'

const run = promisify(execFile)
const examples = import.meta.dirname
const out = join(examples, '..', 'out')
const folder = join(out, 'examples')
const pollMs = 100

async function exampleNames(): Promise<string[]> {
  const wanted = process.argv.slice(2)
  const entries = await readdir(examples, { withFileTypes: true, recursive: true })
  const names = entries
    .filter(({ name }) => name === 'project.json')
    .map(({ parentPath }) => parentPath.slice(examples.length + 1))
  return names.filter((name) => wanted.length === 0 || wanted.includes(name)).toSorted()
}

async function finished(door: Door, id: string): Promise<JobView> {
  for (;;) {
    const job = await readJob(door, id)
    if (job.state === 'completed') return job
    if (['failed', 'cancelled'].includes(job.state)) throw new Error(job.failedReason ?? job.state)
    await sleep(pollMs)
  }
}

async function renderExample(name: string, door: Door, media: MediaServer): Promise<Shown> {
  const file = join(examples, name, 'project.json')
  const request = readProjectFile(file)
  const pointed = pointTo(request, findLocalMedia(request, file), (each) => media.offer(each.file))
  const began = performance.now()
  const job = await finished(door, await submit(door, pointed))
  const seconds = (performance.now() - began) / 1000
  if (!job.url || !job.result) throw new Error(`${name} is completed without a result`)
  const format = String(request.payload.outputFormat ?? 'mp4')
  const isFilm = request.payload.type !== 'image'
  const output = `${name}.${format}`
  await download(job.url, join(folder, output))
  const times = isFilm ? timesOf(name, job.result.duration) : []
  const frames = await Promise.all(
    times.map(async (time) => ({ time, file: await takeFrame(name, output, time) })),
  )
  const { width, height, duration, size } = job.result
  return { name, output, isFilm, width, height, duration, size, seconds, frames }
}

/** The frame that a player shows at `time`, in seconds. */
async function takeFrame(name: string, output: string, time: number): Promise<string> {
  const file = `${name}-${time.toFixed(2)}.jpg`
  const seek = ['-v', 'error', '-y', '-ss', time.toFixed(3), '-i', join(folder, output)]
  await run('ffmpeg', [...seek, '-frames:v', '1', '-q:v', '3', join(folder, file)])
  return file
}

await mkdir(folder, { recursive: true })
const media = await startMediaServer()
const farm = await openOwnFarm({
  data: undefined,
  workers: 1,
  trustedHosts: [media.host],
  onShare: () => undefined,
})
try {
  const door = await farm.ready
  const shown: Shown[] = []
  for (const name of await exampleNames()) {
    const example = await renderExample(name, door, media)
    shown.push(example)
    process.stdout.write(`${name.padEnd(16)} ${example.seconds.toFixed(1)} s\n`)
  }
  await writeFile(join(out, 'examples.html'), page(shown))
  process.stdout.write('\nout/examples.html shows them: open it in a browser.\n')
} finally {
  await farm.stop()
  media.close()
}
