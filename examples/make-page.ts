/**
 * Renders every example on a farm of its own and writes `out/examples.html`. The page shows each
 * film or still, and frames at chosen times. `npm run examples [NAME...]`.
 */
import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { download } from '../cli/render/download.ts'
import { findLocalMedia, pointTo } from '../cli/render/local-media.ts'
import { type MediaServer, startMediaServer } from '../cli/render/media-server.ts'
import { openOwnFarm } from '../cli/render/own-farm.ts'
import { asRenderRequest, readProjectFile } from '../cli/render/project-file.ts'
import { createFarmClient, type FarmClient } from '../client/farm-client.ts'
import { type Example, listExamples } from './list.ts'
import { page, type Shown } from './page/page.ts'
import { timesOf } from './page/times.ts'

const run = promisify(execFile)
const out = join(import.meta.dirname, '..', 'out')
const folder = join(out, 'examples')

function wantedExamples(): Example[] {
  const wanted = process.argv.slice(2)
  return listExamples().filter(
    ({ name }) =>
      wanted.length === 0 || wanted.some((each) => name === each || name.startsWith(`${each}-`)),
  )
}

async function renderExample(
  { name, file, variables }: Example,
  client: FarmClient,
  media: MediaServer,
): Promise<Shown> {
  const request = readProjectFile(file, variables)
  const pointed = pointTo(request, findLocalMedia(request, file), (each) => media.offer(each.file))
  const began = performance.now()
  const { jobId } = await client.submit(asRenderRequest(pointed))
  const job = await client.wait(jobId)
  const seconds = (performance.now() - began) / 1000
  if (!job.url || !job.result) throw new Error(`${name}: ${job.failedReason ?? job.state}`)
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

/** Extracts the frame that a player shows at `time`, in seconds. */
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
  const client = createFarmClient(await farm.ready)
  const shown: Shown[] = []
  for (const example of wantedExamples()) {
    const rendered = await renderExample(example, client, media)
    shown.push(rendered)
    process.stdout.write(`${example.name.padEnd(20)} ${rendered.seconds.toFixed(1)} s\n`)
  }
  await writeFile(join(out, 'examples.html'), page(shown))
  process.stdout.write('\nout/examples.html shows them: open it in a browser.\n')
} finally {
  await farm.stop()
  media.close()
}
