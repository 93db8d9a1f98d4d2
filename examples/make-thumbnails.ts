/**
 * Renders the examples and the design templates of the library on a farm of its own, and writes a
 * small picture of each to `examples/thumbnails`. `npm run examples:thumbnails [NAME...]`.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import sharp, { type Sharp } from 'sharp'
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
/** Tried moments of a film, as shares of its length. */
const moments = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
/** Seconds after a moment in which a picture that stands looks the same. */
const after = 0.2
/** Share of the content that motion takes away, when every pixel differs by a tenth of the range. */
const restlessness = 0.5

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
    const picture = job.type === 'video' ? await clearest(file, job.result.duration) : sharp(file)
    await picture
      .flatten({ background: '#ffffff' })
      .resize({ width: size, height: size, fit: 'inside' })
      .jpeg({ quality: 85 })
      .toFile(join(folder, `${slug}.jpg`))
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/**
 * Returns the frame of a film that shows most and stands still: the bytes of its JPEG measure what it
 * shows, and the frame a little later how much moves. The earlier of two alike wins.
 */
async function clearest(file: string, seconds: number): Promise<Sharp> {
  let best: { readonly worth: number; readonly frame: Buffer } = {
    worth: -1,
    frame: Buffer.alloc(0),
  }
  for (const share of moments) {
    const at = share * seconds
    const [frame, later] = [await frameAt(file, at), await frameAt(file, at + after)]
    const { length } = await sharp(frame).jpeg({ quality: 60 }).toBuffer()
    const worth = length * (1 - Math.min(1, 10 * restlessness * (await difference(frame, later))))
    if (worth > best.worth * 1.02) best = { worth, frame }
  }
  return sharp(best.frame)
}

async function frameAt(file: string, seconds: number): Promise<Buffer> {
  const args = ['-v', 'error', '-ss', seconds.toFixed(3), '-i', file, '-frames:v', '1']
  const scale = `scale=${size}:${size}:force_original_aspect_ratio=decrease:flags=lanczos`
  const options = { encoding: 'buffer', maxBuffer: 2 ** 26 } as const
  const to = ['-vf', scale, '-c:v', 'png', '-f', 'image2pipe', '-']
  return (await run('ffmpeg', [...args, ...to], options)).stdout
}

/** Mean difference of two frames, of 1. */
async function difference(one: Buffer, other: Buffer): Promise<number> {
  const [a, b] = await Promise.all([one, other].map((each) => sharp(each).raw().toBuffer()))
  if (!a || !b || a.length !== b.length) return 0
  return a.reduce((sum, value, i) => sum + Math.abs(value - (b[i] ?? 0)), 0) / a.length / 255
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
