import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import fc from 'fast-check'
import sharp from 'sharp'
import { Value } from 'typebox/value'
import { makePlan } from '../../../core/plan/make-plan.ts'
import { bakeNeeds, mediaNeeds } from '../../../core/plan/needs.ts'
import type { Plan } from '../../../core/plan/plan.ts'
import type { ResolvedProject } from '../../../core/project/resolved.ts'
import { BakeResult, IngestResult } from '../../../core/queue/tasks.ts'
import { type Facts, mediaKey } from '../../../core/timeline/facts.ts'
import { bakeKeyText } from '../../../core/visuals/painted/bake-document.ts'
import { type Attributes, noTracing, type RunningSpan } from '../../../runtime/tracing/tracing.ts'
import { frameSourceNames, withPainter } from '../../../worker/frames/sources.ts'
import { gifOf, imageOf, projectOf, videoOf } from '../../core/project-of.ts'
import { outputOf, workOf } from '../encode/film-of.ts'
import { makeClip, upTo } from '../media/numbered-clip.ts'
import { badge, texture } from '../paint/textures.ts'
import { nodeOf, objectsOf, runOn } from '../tasks/node-of.ts'
import { cpu, named } from '../tasks/plan-of.ts'
import { type Compared, differencesOf, excesses } from './differences.ts'
import { filmSize, painted, randomFilm, sources } from './random-films.ts'

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')

/** Renders films by each frame source on nodes that are restricted to it. */
export async function stageOf(t: ExecutionContext) {
  const objects = await objectsOf(t)
  const { dir } = await workOf(t)
  const whole = await nodeOf(t, { trustedHosts: [objects.host] })
  const facts = await factsOf(dir)

  /** Ingests the media and bakes the texts, as a farm does. */
  async function factsOf(into: string): Promise<Facts> {
    const files = await mediaFiles(into)
    const project = projectOf({
      ...filmSize,
      visuals: [
        ...[...sources.photos, sources.badge].map((src) => imageOf({ src })),
        videoOf({ src: sources.clip }),
        gifOf({ src: sources.loop }),
        ...painted,
      ],
    })
    const media = new Map()
    for (const need of mediaNeeds(project)) {
      const name = need.url.split('/').at(-1) ?? ''
      objects.objects.set(name, await readFile(files.get(name) ?? ''))
      const spec = { ...need, url: objects.url(name) }
      const { outcome } = await runOn(whole, objects, { kind: 'ingest', spec, outputs: ['media'] })
      if (!outcome.done) throw new Error(JSON.stringify(outcome))
      objects.add(objects.objects.get('media') ?? Buffer.alloc(0))
      media.set(mediaKey(need), Value.Parse(IngestResult, outcome.result))
    }
    const documents = bakeNeeds(project)
    objects.objects.set('documents', Buffer.from(JSON.stringify(documents)))
    const outputs = documents.map((_, i) => `bake-${i}`)
    const spec = { count: documents.length }
    const { outcome } = await runOn(whole, objects, { kind: 'bake', spec, outputs })
    if (!outcome.done) throw new Error(JSON.stringify(outcome))
    const { bakes } = Value.Parse(BakeResult, outcome.result)
    for (const name of outputs) objects.add(objects.objects.get(name) ?? Buffer.alloc(0))
    return {
      media,
      bakes: new Map(bakes.map((bake, i) => [bakeKeyText(documents[i] as never), bake])),
    }
  }

  /** Returns each encoded segment and the source that took it. */
  async function renderBy(name: string, plan: Plan) {
    const spans: Attributes[] = []
    const tracing = { ...noTracing, keeps: () => true, begin: () => recordingSpan(spans) }
    const node = { ...whole.node, tracing, frameSources: withPainter([name]) }
    const indexes = plan.segments.map(({ index }) => index)
    const { outcome } = await runOn({ ...whole, node }, objects, {
      ...{ kind: 'render', spec: { segments: indexes, assemble: false } },
      ...{ outputs: named(indexes), prefix: `${name}-` },
    })
    if (!outcome.done) throw new Error(JSON.stringify(outcome))
    const taken = new Map(spans.map((span) => [span['farm.segment'], span['farm.frame_source']]))
    return indexes.map((index) => ({
      source: taken.get(index),
      encoded: objects.objects.get(`${name}-segment-${index}`) ?? Buffer.alloc(0),
    }))
  }

  /** Compares each source with the painter; throws where a source that declined changed a byte. */
  return async (project: ResolvedProject): Promise<Compared[]> => {
    const planned = makePlan({ project, facts, encoder: 'libx264', canvas: cpu, sha256 })
    // Without loss, the decoded frames are those that the encoder got.
    const plan = { ...planned, encoder: { ...planned.encoder, crf: 0 } }
    objects.objects.set('plan', Buffer.from(JSON.stringify(plan)))
    const all = frameSourceNames.map(async (name) => [name, await renderBy(name, plan)] as const)
    const made = new Map(await Promise.all(all))
    const exact = made.get('painter') ?? []
    made.delete('painter')
    const compared: Promise<Compared>[] = []
    for (const [name, segments] of made) {
      for (const [i, { source, encoded }] of segments.entries()) {
        const painted = exact[i]?.encoded ?? Buffer.alloc(0)
        const frames = plan.segments[i]?.frames ?? 0
        if (source === name) compared.push(compare([encoded, painted], { source, frames }))
        else if (!encoded.equals(painted)) {
          throw new Error(`${name} declined segment ${i}, so its bytes must be the painter's`)
        }
      }
    }
    return await Promise.all(compared)
  }

  async function compare(
    encoded: readonly [Buffer, Buffer],
    { source, frames }: { source: string; frames: number },
  ): Promise<Compared> {
    const [a, b] = encoded
    const decoded = [await framesIn(dir, a), await framesIn(dir, b)] as const
    return { source, ...differencesOf(decoded, { ...filmSize, frames }) }
  }
}

async function mediaFiles(dir: string): Promise<ReadonlyMap<string, string>> {
  const png = async (name: string, { width, height, rgba }: ReturnType<typeof texture>) => {
    await sharp(rgba, { raw: { width, height, channels: 4 } }).toFile(join(dir, name))
    return [name, join(dir, name)] as const
  }
  const encode = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-g', '30', '-bf', '3']
  const clip = await makeClip(join(dir, 'clip.mp4'), { numbers: upTo(80), args: encode })
  const loop = await makeClip(join(dir, 'loop.gif'), { numbers: upTo(12), args: [] })
  return new Map([
    await png('first.png', texture(240, 150, 1)),
    await png('second.png', texture(301, 201, 2)),
    await png('badge.png', badge(60, 40, 4)),
    ['clip.mp4', clip],
    ['loop.gif', loop],
  ])
}

let decoded = 0

async function framesIn(dir: string, encoded: Buffer): Promise<Buffer> {
  decoded += 1
  const file = join(dir, `decoded-${decoded}`)
  await writeFile(file, encoded)
  return await outputOf('ffmpeg', '-i', file, '-f', 'rawvideo', '-pix_fmt', 'yuv420p', 'pipe:1')
}

/** A span that adds its attributes, and those of its parts, to `into` when it has any. */
function recordingSpan(into: Attributes[]): RunningSpan {
  const own: Record<string, Attributes[string]> = {}
  into.push(own)
  return {
    ...{ isRecording: true, ids: {}, event: () => undefined, end: () => undefined },
    set: (attributes) => void Object.assign(own, attributes),
    part: (_, work) => work(recordingSpan(into)),
  }
}

/** Renders random films and returns how many segments each source took. */
export async function assertClose(
  t: ExecutionContext,
  { films, seed }: { films: number; seed?: number },
): Promise<ReadonlyMap<string, number>> {
  const compare = await stageOf(t)
  const taken = new Map<string, number>()
  const property = fc.asyncProperty(randomFilm, async (film) => {
    const isEnlarged = film.visuals.some((visual) => visual.type === 'VIDEO' && visual.crop)
    for (const compared of await compare(film)) {
      taken.set(compared.source, (taken.get(compared.source) ?? 0) + 1)
      const found = excesses(compared, { isEnlarged })
      if (found.length > 0) throw new Error(found.join('; '))
    }
  })
  const run = { numRuns: films, includeErrorInReport: true, ...(seed !== undefined && { seed }) }
  await fc.assert(property, run)
  return taken
}
