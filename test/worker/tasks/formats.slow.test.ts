import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import sharp from 'sharp'
import { type FilmFormat, filmFormats } from '../../../core/plan/formats.ts'
import { makePlan } from '../../../core/plan/make-plan.ts'
import type { ResolvedProject } from '../../../core/project/resolved.ts'
import type { MediaFacts } from '../../../core/queue/tasks.ts'
import { mediaKey } from '../../../core/timeline/facts.ts'
import { audioOf, imageOf, imageSrc, projectOf, sceneOf, soundSrc } from '../../core/project-of.ts'
import { outputOf, workOf, writeWav } from '../encode/film-of.ts'
import { nodeOf, type Objects, objectsOf, runOn } from './node-of.ts'

const posterSrc = 'https://example.com/poster.png'
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

const pictureFacts = { kind: 'image', format: 'png', hasAlpha: true } as const
const soundFacts: MediaFacts = {
  kind: 'audio',
  format: 'wav',
  duration: 6,
  sampleRate: 48_000,
  channels: 1,
}

async function planOf(
  t: ExecutionContext,
  objects: Objects,
  { format, ...changes }: Partial<ResolvedProject> & { format: FilmFormat },
) {
  const { dir } = await workOf(t)
  const png = (width: number, height: number, background: string) =>
    sharp({ create: { width, height, channels: 4, background } })
      .png()
      .toBuffer()
  const photo = objects.add(await png(40, 20, '#2060c0'))
  const poster = objects.add(await png(300, 200, '#00000000'))
  const wav = await writeWav(join(dir, 'tone'), { samples: 288_000 }, (i) => Math.sin(i / 9) / 2)
  const tone = objects.add(await readFile(wav))
  const image = (url: string) => mediaKey({ expect: 'image', url })
  const media = new Map<string, { digest: string; facts: MediaFacts }>([
    [image(imageSrc), { digest: photo, facts: { ...pictureFacts, width: 40, height: 20 } }],
    [image(posterSrc), { digest: poster, facts: { ...pictureFacts, width: 300, height: 200 } }],
    [mediaKey({ expect: 'audio', url: soundSrc }), { digest: tone, facts: soundFacts }],
  ])
  const plan = makePlan({
    project: projectOf({ width: 161, height: 90, outputFormat: format, ...changes }),
    facts: { media, bakes: new Map() },
    encoder: filmFormats[format].video.at(-1) ?? 'libx264',
    canvas: { backend: 'napi', device: 'CPU' },
    sha256,
  })
  objects.objects.set('plan', Buffer.from(JSON.stringify(plan)))
  return plan
}

/** Three scenes with fades and their own sound, a moving photo over all of them. */
const scenes = [0, 1, 2].map((n) =>
  sceneOf({
    field: `scenes[${n}]`,
    id: `scene-${n}`,
    backgroundColor: ['#803020', '#208030', '#303080'][n] ?? '',
    transition: 'fade',
    transitionDuration: 0.4,
    audios: [audioOf({ matchDuration: true })],
  }),
)
const visuals = [imageOf({ x: 20, y: 10, width: 80, height: 40, zoomDepth: 2 })]
const named = (indexes: number[]) => indexes.map((index) => `segment-${index}`)

for (const format of Object.keys(filmFormats) as FilmFormat[]) {
  test(`${format}: one task gives the bytes of many tasks on two nodes`, async (t) => {
    const objects = await objectsOf(t)
    const plan = await planOf(t, objects, { format, scenes, visuals })
    t.true(plan.segments.length >= 3)
    const all = plan.segments.map(({ index }) => index)
    const first = await nodeOf(t)
    const whole = await runOn(first, objects, {
      kind: 'render',
      spec: { segments: all, assemble: true },
      outputs: [...named(all), 'output', 'thumbnail'],
      prefix: 'whole-',
    })
    t.true(whole.outcome.done, JSON.stringify(whole.outcome))
    const second = await nodeOf(t, { lanes: 1 })
    for (const index of all.toReversed()) {
      const { outcome } = await runOn(index % 2 ? first : second, objects, {
        kind: 'render',
        spec: { segments: [index], assemble: false },
        outputs: named([index]),
      })
      t.true(outcome.done, JSON.stringify(outcome))
    }
    const outputs = ['output', 'thumbnail']
    const { outcome } = await runOn(second, objects, { kind: 'assemble', spec: {}, outputs })
    t.true(outcome.done, JSON.stringify(outcome))
    for (const name of [...named(all), ...outputs]) {
      const other = objects.objects.get(`whole-${name}`) ?? Buffer.alloc(0)
      t.true(objects.objects.get(name)?.equals(other), name)
    }
    const { dir } = await workOf(t)
    const film = join(dir, 'film')
    await writeFile(film, objects.objects.get('output') ?? '')
    const entries = ['-count_frames', '-show_entries', 'stream=width,height,nb_read_frames']
    const probed = await outputOf('ffprobe', ...entries, '-of', 'json', film)
    const { frames } = plan.timeline
    const [pictures] = JSON.parse(String(probed)).streams
    t.like(pictures, { width: 161, height: 90, nb_read_frames: String(frames) })
  })
}

test('a given thumbnail becomes a jpg over white and changes no film', async (t) => {
  const objects = await objectsOf(t)
  const film = { format: 'mp4', visuals, duration: 1 } as const
  const run = async (thumbnail?: string) => {
    await planOf(t, objects, { ...film, ...(thumbnail !== undefined && { thumbnail }) })
    const { outcome } = await runOn(await nodeOf(t), objects, {
      kind: 'render',
      spec: { segments: [0], assemble: true },
      outputs: ['segment-0', 'output', 'thumbnail'],
    })
    t.true(outcome.done, JSON.stringify(outcome))
    const output = objects.objects.get('output')
    return { output, picture: sharp(objects.objects.get('thumbnail')) }
  }
  const plain = await run()
  t.like(await plain.picture.metadata(), { format: 'jpeg', width: 161, height: 90 })
  const given = await run(posterSrc)
  t.like(await given.picture.metadata(), { format: 'jpeg', width: 300, height: 200, channels: 3 })
  const { data } = await given.picture.raw().toBuffer({ resolveWithObject: true })
  t.true(data.every((value) => value > 250))
  t.true(given.output?.equals(plain.output ?? Buffer.alloc(0)))
})
