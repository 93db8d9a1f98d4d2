import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestFn } from 'ava'
import { plans } from '../../../core/accounts/plans.ts'
import { bakeNeeds, mediaNeeds } from '../../../core/plan/needs.ts'
import type { ResolvedProject } from '../../../core/project/resolved.ts'
import type { MediaFacts } from '../../../core/queue/tasks.ts'
import { captionPixels } from '../../../core/timeline/captions.ts'
import { type Pixels, pixelsName } from '../../../core/timeline/draw.ts'
import { mediaKey } from '../../../core/timeline/facts.ts'
import { describeFrame } from '../../../core/timeline/frame.ts'
import { makeTimeline } from '../../../core/timeline/timeline.ts'
import type { Timeline } from '../../../core/timeline/types.ts'
import { bakeKeyText } from '../../../core/visuals/painted/bake-document.ts'
import { createLog } from '../../../runtime/log.ts'
import { sniffFile } from '../../../runtime/media/sniff.ts'
import { type Baker, createBaker } from '../../../worker/bake/baker.ts'
import { DiskCache } from '../../../worker/files/disk-cache.ts'
import { unpremultiplied } from '../../../worker/frames/paint-frame.ts'
import { decodePicture } from '../../../worker/media/decode-picture.ts'
import { inspectPicture, loadPictures, type PictureWork } from '../../../worker/media/picture.ts'
import { createPictureDecoders } from '../../../worker/media/picture-decoders.ts'
import { openNapiCanvas } from '../../../worker/paint/napi-canvas.ts'
import { createPainter } from '../../../worker/paint/painter.ts'
import { resolved } from '../../core/project/outcome.ts'
import { patience } from '../bake/baking.ts'
import { never, sandbox } from '../encode/film-of.ts'

/** A painted frame: straight RGBA. */
export type Shot = {
  readonly width: number
  readonly height: number
  readonly rgba: Buffer
  at: (x: number, y: number) => number[]
}

/** `media`: the files behind the project's URLs. `frame`: 0 when not given. */
type Sitting = {
  readonly payload: object
  readonly media?: Readonly<Record<string, Buffer>>
  readonly frame?: number
}

const backend = openNapiCanvas()

/**
 * Paints one frame of a project as it would come over the wire: validated, resolved, its pictures
 * decoded in the sandbox, its texts baked by Chromium, laid out and painted by Skia.
 */
export function studioFor(test: TestFn): (sitting: Sitting) => Promise<Shot> {
  let room: Room | undefined
  test.before(async () => {
    const dir = await mkdtemp(join(tmpdir(), 'farm-studio-'))
    const log = createLog('test', 'silent')
    room = {
      dir,
      baker: createBaker({ log, dataDir: dir, limitMs: patience }),
      work: {
        ...{ dir, accountId: 'account', signal: never },
        decoders: await createPictureDecoders({ sandbox, dataDir: dir, log, atOnce: 2, spares: 0 }),
        pixels: new DiskCache({ dir: join(dir, 'cache'), limitBytes: 2 ** 30 }),
      },
      inspected: new Map(),
    }
  })
  test.after.always(async () => {
    await room?.baker.close()
    await room?.work.decoders.close()
    if (room) await rm(room.dir, { recursive: true, force: true })
  })
  return async ({ payload, media = {}, frame = 0 }) => {
    if (!room) throw new Error('A studio opens before the first test')
    const { project } = resolved(payload, {}, plans.studio)
    const ingested = await ingest(project, media, room)
    const { bakes, pngs } = await bake(project, room)
    const timeline = makeTimeline(project, { media: ingested, bakes })
    const { width, height } = timeline
    const bitmap = await bitmapsOf(timeline, pngs, room)
    const painter = createPainter({ backend, width, height, bitmap })
    const rgba = unpremultiplied(await painter.paint(describeFrame(timeline, frame)))
    const at = (x: number, y: number) => [...rgba.subarray((y * width + x) * 4).subarray(0, 4)]
    return { width, height, rgba, at }
  }
}

type Room = {
  readonly dir: string
  readonly baker: Baker
  readonly work: PictureWork
  /** Facts by digest: each file is decoded once. */
  readonly inspected: Map<string, Promise<MediaFacts>>
}

async function ingest(
  project: ResolvedProject,
  media: Readonly<Record<string, Buffer>>,
  { work, inspected }: Room,
) {
  const found = mediaNeeds(project).map(async ({ url, field, expect }) => {
    const bytes = media[url] ?? Buffer.alloc(0)
    const digest = sha256(bytes)
    const inspect = async () => {
      const file = join(work.dir, digest)
      await writeFile(file, bytes)
      const sniffed = await sniffFile(file)
      if (sniffed.kind !== 'image') throw new Error(`${url} must be a picture here`)
      return inspectPicture({ file, digest, field, format: sniffed.format }, work)
    }
    const facts = inspected.get(digest) ?? inspect()
    inspected.set(digest, facts)
    return [mediaKey({ expect, url }), { digest, facts: await facts }] as const
  })
  return new Map(await Promise.all(found))
}

async function bake(project: ResolvedProject, { baker }: Room) {
  const documents = bakeNeeds(project)
  const pictures = await baker.bake(documents, new AbortController().signal)
  const baked = pictures.map(({ png, ...facts }) => ({
    png,
    facts: { ...facts, digest: sha256(png), bytes: png.length },
  }))
  return {
    bakes: new Map(baked.map(({ facts }, i) => [bakeKeyText(documents[i] as never), facts])),
    pngs: new Map(baked.map(({ png, facts }) => [facts.digest, png])),
  }
}

async function bitmapsOf(
  timeline: Timeline,
  pngs: ReadonlyMap<string, Buffer>,
  { work }: Room,
): Promise<(pixels: Pixels) => ReturnType<typeof backend.bitmapFromRgba>> {
  const elements = [...timeline.elements, ...timeline.scenes.flatMap((scene) => scene.elements)]
  const load = async (pixels: Pixels) => {
    if (pixels.kind === 'clip') throw new Error('A studio has pictures only')
    const png = pngs.get(pixels.digest)
    if (png) {
      const { raw, ...size } = await decodePicture(png, pixels)
      return { ...size, rgba: raw }
    }
    const open = async () => join(work.dir, pixels.digest)
    const [picture] = await loadPictures([{ pixels, open }], work)
    if (!picture) throw new Error('No picture was loaded')
    return picture
  }
  const all = [...elements.map(({ pixels }) => pixels), ...captionPixels(timeline)]
  const loaded = all.map(async (pixels) => {
    return [pixelsName(pixels), backend.bitmapFromRgba(await load(pixels))] as const
  })
  const bitmaps = new Map(await Promise.all(loaded))
  return (pixels) => {
    const bitmap = bitmaps.get(pixelsName(pixels))
    if (!bitmap) throw new Error('A frame reads a picture that no element has')
    return bitmap
  }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
