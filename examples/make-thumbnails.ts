/**
 * Renders the examples and the design templates of the library on a farm of its own, and writes a
 * small picture of each to `examples/thumbnails`. `npm run examples:thumbnails [NAME...]`.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { download } from '../cli/render/download.ts'
import { findLocalMedia, pointTo } from '../cli/render/local-media.ts'
import { startMediaServer } from '../cli/render/media-server.ts'
import { openOwnFarm } from '../cli/render/own-farm.ts'
import { asRenderRequest, readProjectFile } from '../cli/render/project-file.ts'
import { createFarmClient, type FarmClient, type RenderRequest } from '../client/farm-client.ts'
import { designTemplates } from '../core/library/design-templates.ts'
import { listExamples } from './list.ts'

const run = promisify(execFile)
const folder = join(import.meta.dirname, 'thumbnails')
/** Longer edge, in px. */
const size = 320
/** Time of a film's thumbnail, as a share of its length. */
const moment = 0.4

type Wanted = { readonly slug: string; readonly request: () => Promise<RenderRequest> }

function wantedOnes(offer: (file: string) => string): Wanted[] {
  const folders = new Map(listExamples().map((each) => [basename(dirname(each.file)), each]))
  const examples = [...folders].map(([slug, { file, variables }]) => ({
    slug,
    async request() {
      const request = readProjectFile(file, variables)
      const media = findLocalMedia(request, file)
      return asRenderRequest(pointTo(request, media, (each) => offer(each.file)))
    },
  }))
  const designs = designTemplates.map(({ slug, width, height, content }) => ({
    slug,
    request: async () => ({ payload: pageOf(content, { width, height }) }) as RenderRequest,
  }))
  const asked = process.argv.slice(2)
  return [...examples, ...designs].filter(({ slug }) => asked.length === 0 || asked.includes(slug))
}

function pageOf(visual: object, { width, height }: { width: number; height: number }): object {
  const canvas = { width: width + 80, height: height + 80, backgroundColor: '#1d2939' }
  return { ...canvas, duration: 2, visuals: [visual] }
}

async function makeThumbnail({ slug, request }: Wanted, client: FarmClient): Promise<void> {
  const job = await client.wait((await client.submit(await request())).jobId)
  if (!job.url || !job.result) throw new Error(`${slug}: ${job.failedReason ?? job.state}`)
  const scratch = await mkdtemp(join(tmpdir(), 'farm-thumbnail-'))
  try {
    const file = join(scratch, 'output')
    await download(job.url, file)
    const seconds = job.type === 'video' ? job.result.duration * moment : 0
    const scale = `scale=${size}:${size}:force_original_aspect_ratio=decrease`
    const seek = seconds > 0 ? ['-ss', seconds.toFixed(3)] : []
    await run('ffmpeg', [
      ...['-v', 'error', '-y', ...seek, '-i', file, '-frames:v', '1'],
      ...['-vf', scale, '-q:v', '5', join(folder, `${slug}.jpg`)],
    ])
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

await mkdir(folder, { recursive: true })
const media = await startMediaServer()
const farm = await openOwnFarm({
  ...{ data: undefined, workers: 1, trustedHosts: [media.host], onShare: () => undefined },
})
try {
  const client = createFarmClient(await farm.ready)
  for (const wanted of wantedOnes((file) => media.offer(file))) {
    await makeThumbnail(wanted, client)
    process.stdout.write(`${wanted.slug}\n`)
  }
} finally {
  await farm.stop()
  media.close()
}
