import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import sharp from 'sharp'
import { Value } from 'typebox/value'
import { overClip } from '../../../core/plan/bottom-clip.ts'
import type { VideoEncoder } from '../../../core/plan/formats.ts'
import { thumbnailSegment } from '../../../core/plan/inputs.ts'
import { makePlan } from '../../../core/plan/make-plan.ts'
import { mediaNeeds } from '../../../core/plan/needs.ts'
import { runsOf } from '../../../core/plan/runs.ts'
import type { ResolvedProject } from '../../../core/project/resolved.ts'
import { IngestResult } from '../../../core/queue/tasks.ts'
import { clipFrame } from '../../../core/timeline/clip.ts'
import { mediaKey } from '../../../core/timeline/facts.ts'
import { gifOf, imageOf, projectOf, videoOf } from '../../core/project-of.ts'
import { outputOf, workOf } from '../encode/film-of.ts'
import { clipSize, makeClip, numberIn, upTo } from '../media/numbered-clip.ts'
import { nodeOf, objectsOf, runOn } from './node-of.ts'

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
const longGops = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-g', '250', '-bf', '3']

/** A node, and a store that serves a clip of 0..`count`-1 as `name`. */
async function stageOf(
  t: ExecutionContext,
  { name, count, args }: { name: string; count: number; args: readonly string[] },
) {
  const { dir } = await workOf(t)
  const objects = await objectsOf(t)
  const file = await makeClip(join(dir, name), { numbers: upTo(count), args })
  objects.objects.set(name, await readFile(file))
  const node = await nodeOf(t, { trustedHosts: [objects.host] })
  return { objects, node, dir, src: objects.url(name) }
}

type Stage = Awaited<ReturnType<typeof stageOf>>

/** Ingests the project's media as a farm does and stores its plan. */
async function plan(
  { objects, node }: Stage,
  { encoder = 'libx264', ...changes }: Partial<ResolvedProject> & { encoder?: VideoEncoder },
) {
  const project = projectOf({ ...clipSize, frameRate: 30, ...changes })
  const media = new Map()
  for (const spec of mediaNeeds(project)) {
    const { outcome } = await runOn(node, objects, { kind: 'ingest', spec, outputs: ['media'] })
    if (!outcome.done) throw new Error(JSON.stringify(outcome))
    const result = Value.Parse(IngestResult, outcome.result)
    objects.add(objects.objects.get('media') ?? Buffer.alloc(0))
    media.set(mediaKey(spec), result)
  }
  const made = makePlan({
    ...{ project, facts: { media, bakes: new Map() }, encoder, sha256 },
    canvas: { backend: 'napi', device: 'CPU' },
  })
  objects.objects.set('plan', Buffer.from(JSON.stringify(made)))
  return made
}

/** Renders all in one task and returns the film, or its failure. */
async function render({ objects, node, dir }: Stage, segments: readonly { index: number }[]) {
  const indexes = segments.map(({ index }) => index)
  const { outcome, previews } = await runOn(node, objects, {
    kind: 'render',
    spec: { segments: indexes, assemble: true, preview: true },
    outputs: [...indexes.map((index) => `segment-${index}`), 'output', 'thumbnail', 'preview'],
  })
  const film = join(dir, 'film')
  await writeFile(film, objects.objects.get('output') ?? '')
  return { outcome, film, previews, preview: objects.objects.get('preview') }
}

/** The number that each frame of a film shows, read in the clip's rectangle. */
async function numbersIn(film: string, { width, height } = clipSize): Promise<number[]> {
  const args = ['-v', 'error', '-i', film, '-f', 'rawvideo', '-pix_fmt', 'gray', 'pipe:1']
  const raw = await outputOf('ffmpeg', ...args)
  return upTo(raw.length / width / height).map((n) =>
    numberIn((x, y) => {
      const at = Math.floor(y * height) * width + Math.floor(x * width)
      return raw[n * width * height + at] ?? 0
    }),
  )
}

test('every segment shows the right clip frames, with long GOPs', async (t) => {
  const stage = await stageOf(t, { name: 'clip.mp4', count: 200, args: longGops })
  const made = await plan(stage, { duration: 8, visuals: [videoOf({ src: stage.src })] })
  t.true(made.segments.length >= 3)
  const { outcome, film } = await render(stage, made.segments)
  t.true(outcome.done, JSON.stringify(outcome))
  const held = upTo(240).map((n) => Math.min(n, 199))
  t.deepEqual(await numbersIn(film), held)
})

test('while a clip is encoded, its segments’ first frames are shown', async (t) => {
  const stage = await stageOf(t, { name: 'clip.mp4', count: 200, args: longGops })
  const made = await plan(stage, { duration: 6, visuals: [videoOf({ src: stage.src })] })
  const { outcome, previews, preview } = await render(stage, made.segments)
  t.true(outcome.done, JSON.stringify(outcome))
  t.is(previews, made.segments.length)
  const picture = join(stage.dir, 'preview')
  await writeFile(picture, preview ?? '')
  const [shown = -1] = await numbersIn(picture)
  t.true(
    made.segments.some(({ start }) => start === shown),
    String(shown),
  )
})

for (const [outputFormat, encoder] of [
  ['mp4', 'libx264'],
  ['webm', 'libvpx-vp9'],
  ['avi', 'mpeg4'],
] as const) {
  test(`segments over a clip and painted ones make one ${outputFormat}`, async (t) => {
    const stage = await stageOf(t, { name: 'clip.mp4', count: 100, args: longGops })
    const visuals = [videoOf({ src: stage.src, exitBegin: 2.5, exitEnd: 2.5 })]
    const made = await plan(stage, { duration: 4, outputFormat, encoder, visuals })
    const ways = made.segments.map((segment) => {
      const over = overClip([...runsOf(made.timeline, segment)], made.timeline)
      return over !== undefined
    })
    t.deepEqual(ways, [true, false])
    const { outcome, film, previews, preview } = await render(stage, made.segments)
    t.true(outcome.done, JSON.stringify(outcome))
    t.is(previews, 2)
    t.is((await sharp(preview).metadata()).format, 'jpeg')
    const seen = await numbersIn(film)
    t.is(seen.length, 120)
    t.deepEqual(seen.slice(0, 75), upTo(75))
  })
}

test('a scaled clip at another rate and speed shows its frames', async (t) => {
  const stage = await stageOf(t, { name: 'clip.mp4', count: 200, args: longGops })
  const { src } = stage
  for (const [frameRate, speed, size] of [
    [25, 1, { width: 160, height: 90 }],
    [60, 0.7, { width: 320, height: 180 }],
    [24, 1.9, { width: 80, height: 44 }],
  ] as const) {
    const layer = imageOf({ field: 'visuals[1]', src: stage.objects.url('layer.png'), track: 1 })
    const visuals = [
      videoOf({ ...size, src, speed, videoBegin: 1.1, resize: 'cover' }),
      { ...layer, x: size.width - 11, y: size.height - 9, width: 10, height: 8, enterBegin: 0.5 },
    ]
    stage.objects.objects.set('layer.png', await redPicture())
    const made = await plan(stage, { ...size, frameRate, duration: 3.2, visuals })
    const { outcome, film } = await render(stage, made.segments)
    t.true(outcome.done, JSON.stringify(outcome))
    const play = made.timeline.elements.find((each) => each.play)?.play
    if (!play) return t.fail('the clip plays')
    const wanted = upTo(made.timeline.frames).map((n) => clipFrame(play, n / frameRate))
    t.deepEqual(await numbersIn(film, size), wanted)
    const isRed = await redIn(film, size)
    t.deepEqual(
      isRed,
      upTo(made.timeline.frames).map((n) => n / frameRate >= 0.5),
    )
  }
})

test('a layer above a clip looks the same as when painted', async (t) => {
  const stage = await stageOf(t, { name: 'clip.mp4', count: 100, args: longGops })
  stage.objects.objects.set('layer.png', await redPicture())
  const film = async (opacity: number) => {
    const layer = imageOf({ src: stage.objects.url('layer.png'), width: 51, height: 33 })
    const made = await plan(stage, {
      duration: 3,
      visuals: [
        videoOf({ src: stage.src, opacity }),
        { ...layer, field: 'visuals[1]', x: 17, y: 21, track: 1, opacity: 0.6, angle: 30 },
        {
          ...{ ...layer, field: 'visuals[2]', x: 101, y: 40, track: 2 },
          ...{ enterBegin: 0.5, enterEnd: 1.5, enterAnimation: 'fade', exitAnimation: 'wipeleft' },
          ...{ exitBegin: 2, exitEnd: 2.5 },
        },
      ],
    })
    const { outcome, film } = await render(stage, made.segments)
    t.true(outcome.done, JSON.stringify(outcome))
    const args = ['-v', 'error', '-i', film, '-f', 'rawvideo', '-pix_fmt', 'yuv420p', 'pipe:1']
    return await outputOf('ffmpeg', ...args)
  }
  const over = await film(1)
  const painted = await film(0.9999)
  t.is(over.length, painted.length)
  t.true(over.length === (clipSize.width * clipSize.height * 3 * 90) / 2)
  let sum = 0
  for (const [i, value] of over.entries()) sum += (value - (painted[i] ?? 0)) ** 2
  const psnr = 10 * Math.log10((255 ** 2 * over.length) / sum)
  t.true(psnr > 34, `${psnr} dB`)
})

const redPicture = () =>
  sharp({ create: { width: 20, height: 16, channels: 3, background: '#f01010' } })
    .png()
    .toBuffer()

/** Answers, frame by frame, whether the layer in the lower right corner is there. */
async function redIn(film: string, { width, height }: typeof clipSize): Promise<boolean[]> {
  const at = `crop=4:4:${width - 8}:${height - 6}`
  const args = ['-v', 'error', '-i', film, '-vf', `${at},scale=1:1`, '-f', 'rawvideo']
  const raw = await outputOf('ffmpeg', ...args, '-pix_fmt', 'rgb24', 'pipe:1')
  return upTo(raw.length / 3).map((n) => (raw[n * 3] ?? 0) > 150 && (raw[n * 3 + 1] ?? 0) < 90)
}

test('a film of clips is the same bytes however it is split', async (t) => {
  const sound = ['-f', 'lavfi', '-i', 'sine=440:d=7', '-shortest']
  const stage = await stageOf(t, { name: 'clip.mp4', count: 150, args: [...sound, ...longGops] })
  const loop = await makeClip(join(stage.dir, 'loop.gif'), { numbers: upTo(12), args: [] })
  stage.objects.objects.set('loop.gif', await readFile(loop))
  const whole = { ...clipSize, exitBegin: 4, exitEnd: 4, transition: 'wipeleft' } as const
  const filter = { brightness: 0, contrast: 20, saturate: -50, hue: 0, blur: 3, invert: 0 }
  const made = await plan(stage, {
    duration: 7,
    visuals: [
      videoOf({ ...whole, field: 'visuals[0]', src: stage.src, zoomDepth: 1.5 }),
      videoOf({
        ...{ ...whole, field: 'visuals[1]', src: stage.src, enterBegin: 3.5, enterEnd: 3.5 },
        ...{ exitBegin: 7, exitEnd: 7, speed: 1.7, flipH: true },
        filter: { ...filter, tint: '#ffffff' },
      }),
      gifOf({
        ...{ field: 'visuals[2]', src: stage.objects.url('loop.gif'), track: 1 },
        ...{ x: 90, y: 40, width: 60, height: 34, angle: 20, enterAnimation: 'dissolve' },
        ...{ enterBegin: 1, enterEnd: 2, radius: { tl: 9, tr: 9, br: 9, bl: 9 } },
        chromaKey: { color: '#141414', similarity: 20, blend: 10 },
      }),
    ],
  })
  const one = await render(stage, made.segments)
  t.true(one.outcome.done, JSON.stringify(one.outcome))
  const other = await nodeOf(t, { lanes: 1 })
  for (const { index } of made.segments.toReversed()) {
    const node = index % 2 ? stage.node : other
    const { outcome } = await runOn(node, stage.objects, {
      ...{ kind: 'render', spec: { segments: [index], assemble: false } },
      ...{ outputs: [`segment-${index}`], prefix: 'apart-' },
    })
    t.true(outcome.done, JSON.stringify(outcome))
  }
  for (const { index } of made.segments) {
    const [whole, apart] = ['', 'apart-'].map((prefix) =>
      stage.objects.objects.get(`${prefix}segment-${index}`),
    )
    t.true(whole && apart?.equals(whole), `segment ${index}`)
  }
  const streams = ['-show_entries', 'stream=codec_type', '-of', 'csv=p=0', one.film]
  t.is(String(await outputOf('ffprobe', '-v', 'error', ...streams)), 'video\naudio\n')
})

test('a thumbnail taken early is the film’s, and local segments are reused', async (t) => {
  const stage = await stageOf(t, { name: 'clip.mp4', count: 300, args: longGops })
  const made = await plan(stage, { duration: 9, visuals: [videoOf({ src: stage.src })] })
  const names = made.segments.map(({ index }) => `segment-${index}`)
  const { outcome } = await render(stage, made.segments)
  t.true(outcome.done, JSON.stringify(outcome))
  const shown = thumbnailSegment(made)?.index ?? Number.NaN
  t.not(shown, 0)
  const files = stage.objects.objects
  const whole = ['output', 'thumbnail'].map((name) => files.get(name))
  for (const { index } of made.segments) {
    const apart = await runOn(stage.node, stage.objects, {
      kind: 'render',
      spec: { segments: [index], assemble: false, thumbnail: index === shown },
      outputs: [`segment-${index}`, 'thumbnail'],
      prefix: 'apart-',
    })
    t.like(apart.outcome, { done: true, result: { thumbnail: index === shown } })
  }
  for (const name of [...names, 'output', 'thumbnail']) files.delete(name)
  const joined = await runOn(stage.node, stage.objects, {
    ...{ kind: 'assemble', spec: { thumbnail: true }, outputs: ['output', 'thumbnail'] },
    inputs: { thumbnail: 'apart-thumbnail' },
  })
  t.true(joined.outcome.done, JSON.stringify(joined.outcome))
  t.deepEqual(
    ['output', 'thumbnail'].map((name) => files.get(name)),
    whole,
  )
})

test('a clip breaking midway fails the film with its field and second', async (t) => {
  const stage = await stageOf(t, { name: 'clip.mp4', count: 200, args: longGops })
  const bytes = Buffer.from(stage.objects.objects.get('clip.mp4') ?? '')
  const middle = bytes.indexOf('mdat') + Math.floor(bytes.length / 2)
  stage.objects.objects.set('clip.mp4', bytes.fill(0x5a, middle, middle + 1500))
  const visuals = [videoOf({ field: 'visuals[3]', src: stage.src, ...clipSize })]
  const broken = await render(stage, (await plan(stage, { duration: 6, visuals })).segments)
  t.like(broken.outcome, { done: false, code: 'media_invalid', field: 'visuals[3].src' })
  t.regex(
    JSON.stringify(broken.outcome),
    /must be whole and undamaged. It breaks at about [34]\.\d\d s/,
  )
  // Frames before the fault can be shown.
  const short = await render(stage, (await plan(stage, { duration: 1, visuals })).segments)
  t.true(short.outcome.done, JSON.stringify(short.outcome))
})

test('a damaged clip fails only films that reach the damage', async (t) => {
  const plain = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-g', '250', '-bf', '0']
  const stage = await stageOf(t, { name: 'clip.mp4', count: 60, args: plain })
  const bytes = Buffer.from(stage.objects.objects.get('clip.mp4') ?? '')
  stage.objects.objects.set('clip.mp4', await damagedAt(join(stage.dir, 'clip.mp4'), bytes, 40))
  const made = await plan(stage, { duration: 1, visuals: [videoOf({ src: stage.src })] })
  t.truthy(overClip([...runsOf(made.timeline, made.segments[0] ?? t.fail())], made.timeline))
  stage.objects.objects.set('layer.png', await redPicture())
  const layer = imageOf({ field: 'visuals[4]', src: stage.objects.url('layer.png'), track: 1 })
  const clip = videoOf({ field: 'visuals[3]', src: stage.src })
  // The clip alone, with a layer above it, and painted.
  const ways = [[clip], [clip, layer], [{ ...clip, opacity: 0.9 }]]
  for (const [frames, isWhole] of [
    [39, true],
    // Frame 39 is intact; its duration depends on the next one.
    [40, false],
    [41, false],
  ] as const) {
    for (const visuals of ways) {
      const { segments } = await plan(stage, { duration: frames / 30, visuals })
      const { outcome } = await render(stage, segments)
      const said = JSON.stringify(outcome)
      t.is(outcome.done, isWhole, said)
      if (outcome.done) continue
      t.like(outcome, { code: 'media_invalid', field: 'visuals[3].src' }, said)
      t.regex(said, /It breaks at about 1\.[123]\d s/)
    }
  }
})

/** The file with the coded picture of a frame overwritten (no B-frames: pictures are in order). */
async function damagedAt(file: string, bytes: Buffer, frame: number): Promise<Buffer> {
  const entries = ['-select_streams', 'v', '-show_entries', 'packet=pos,size', '-of', 'csv=p=0']
  const packets = String(await outputOf('ffprobe', '-v', 'error', ...entries, file)).split('\n')
  const [size = 0, at = 0] = (packets[frame] ?? '').split(',').map(Number)
  return bytes.fill(0x5a, at + 4, at + size)
}

/** Makes the stage's node decode clips with an argument prefix, and counts reported failures. */
function decodingWith(stage: Stage, words: readonly string[]) {
  const heard = { failures: 0 }
  const gpuDecoding = {
    flagsFor: async () => (heard.failures > 0 ? [] : words),
    giveUp: () => {
      heard.failures += 1
    },
  }
  const node = { ...stage.node, node: { ...stage.node.node, gpuDecoding } }
  return { stage: { ...stage, node }, heard }
}

test('another decoder’s clip is laid under a film as the processor’s is', async (t) => {
  const usual = await stageOf(t, { name: 'clip.mp4', count: 60, args: longGops })
  const { stage, heard } = decodingWith(usual, ['-threads', '2'])
  const { segments } = await plan(stage, { duration: 2, visuals: [videoOf({ src: stage.src })] })
  t.true((await render(usual, segments)).outcome.done)
  const film = usual.objects.objects.get('output')
  t.true((await render(stage, segments)).outcome.done)
  t.deepEqual(stage.objects.objects.get('output'), film)
  t.is(heard.failures, 0)
})

test('a failing GPU decoder is given up, and the processor takes over', async (t) => {
  const usual = await stageOf(t, { name: 'clip.mp4', count: 60, args: longGops })
  const { stage, heard } = decodingWith(usual, ['-hwaccel', 'nothing'])
  const { segments } = await plan(stage, { duration: 2, visuals: [videoOf({ src: stage.src })] })
  const { outcome } = await render(stage, segments)
  t.like(outcome, { done: false, code: 'internal' }, JSON.stringify(outcome))
  t.is(heard.failures, 1)
  t.true((await render(stage, segments)).outcome.done)
})

test('a damaged clip is no reason to give a decoder up', async (t) => {
  const plain = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-g', '250', '-bf', '0']
  const usual = await stageOf(t, { name: 'clip.mp4', count: 60, args: plain })
  const { stage, heard } = decodingWith(usual, ['-threads', '2'])
  const bytes = Buffer.from(stage.objects.objects.get('clip.mp4') ?? '')
  stage.objects.objects.set('clip.mp4', await damagedAt(join(stage.dir, 'clip.mp4'), bytes, 40))
  const { segments } = await plan(stage, { duration: 2, visuals: [videoOf({ src: stage.src })] })
  const { outcome } = await render(stage, segments)
  t.like(outcome, { done: false, code: 'media_invalid' }, JSON.stringify(outcome))
  t.is(heard.failures, 0)
})

test('a VIDEO that is a picture is refused, like a GIF film', async (t) => {
  const stage = await stageOf(t, { name: 'loop.gif', count: 5, args: [] })
  const film = await makeClip(join(stage.dir, 'clip.mp4'), { numbers: upTo(5), args: longGops })
  stage.objects.objects.set('clip.mp4', await readFile(film))
  for (const [expect, name, rule] of [
    ['video', 'loop.gif', 'A VIDEO must be an mp4, mov, webm or mkv file. Got a picture (gif).'],
    ['gif', 'clip.mp4', 'A GIF must be a gif file. Got sound or film (mp4).'],
  ] as const) {
    const spec = { url: stage.objects.url(name), field: 'visuals[1].src', expect }
    const run = { kind: 'ingest', spec, outputs: ['media'] } as const
    const { outcome } = await runOn(stage.node, stage.objects, { ...run, outputs: ['media'] })
    t.like(outcome, { done: false, code: 'media_invalid', field: 'visuals[1].src', message: rule })
  }
})
