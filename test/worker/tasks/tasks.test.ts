import { createHash } from 'node:crypto'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import sharp from 'sharp'
import type { ResolvedProject } from '../../../core/project/resolved.ts'
import { unpremultiplied } from '../../../worker/frames/paint-frame.ts'
import { audioOf, imageOf, sceneOf } from '../../core/project-of.ts'
import { outputOf, sandbox, workOf } from '../encode/film-of.ts'
import { decodersOf } from '../media/picture-work.ts'
import { nodeOf, type Objects, objectsOf, runOn } from './node-of.ts'
import { cpu, named, planOf } from './plan-of.ts'

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')

/** Three scenes with fades, a moving photo over all of them, and sound. */
const threeScenes: Partial<ResolvedProject> = {
  name: 'Three scenes',
  scenes: [0, 1, 2].map((n) =>
    sceneOf({
      field: `scenes[${n}]`,
      id: `scene-${n}`,
      backgroundColor: ['#803020', '#208030', '#303080'][n] ?? '',
      transition: 'fade',
      transitionDuration: 0.4,
    }),
  ),
  visuals: [imageOf({ x: 20, y: 10, width: 80, height: 40, zoomDepth: 2 })],
  audios: [audioOf({ enter: 0.5 })],
}

test('one render-and-assemble task gives the bytes of many tasks on two nodes', async (t) => {
  const objects = await objectsOf(t)
  const plan = await planOf(t, objects, threeScenes)
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
  t.is(whole.frames, plan.timeline.frames)

  const second = await nodeOf(t, { lanes: 1 })
  for (const index of all.toReversed()) {
    const { outcome } = await runOn(index % 2 ? first : second, objects, {
      kind: 'render',
      spec: { segments: [index], assemble: false, sound: index === 0 },
      outputs: [...named([index]), ...(index === 0 ? ['sound'] : [])],
    })
    t.true(outcome.done, JSON.stringify(outcome))
  }
  const stored = await runOn(second, objects, {
    kind: 'render',
    spec: { segments: all, assemble: true, soundStored: true },
    outputs: [...named(all), 'output', 'thumbnail'],
    prefix: 'stored-',
  })
  t.true(stored.outcome.done, JSON.stringify(stored.outcome))
  t.deepEqual(objects.objects.get('stored-output'), objects.objects.get('whole-output'))

  // Covers sound that a shard has encoded, and sound that is missing because all segments were in
  // the store.
  for (const sound of [true, false]) {
    if (!sound) objects.objects.delete('sound')
    const { outcome } = await runOn(second, objects, {
      kind: 'assemble',
      spec: { sound },
      outputs: ['output', 'thumbnail'],
    })
    t.true(outcome.done, JSON.stringify(outcome))
    for (const name of [...named(all), 'output', 'thumbnail']) {
      const alone = objects.objects.get(`whole-${name}`)
      t.true(objects.objects.get(name)?.equals(alone ?? Buffer.alloc(0)), name)
    }
  }
  const { dir } = await workOf(t)
  const film = join(dir, 'film')
  await writeFile(film, objects.objects.get('output') ?? '')
  const entries = 'stream=codec_name,nb_frames:format_tags=title'
  const probed = await outputOf(
    'ffprobe',
    '-count_frames',
    '-show_entries',
    entries,
    '-of',
    'json',
    film,
  )
  const { streams, format } = JSON.parse(probed.toString())
  t.like(streams, [
    { codec_name: 'h264', nb_frames: String(plan.timeline.frames) },
    { codec_name: 'aac' },
  ])
  t.is(format.tags.title, 'Three scenes')
})

test('a silent film has no sound track and shows the plan’s frames', async (t) => {
  const objects = await objectsOf(t)
  await planOf(t, objects, { scenes: [sceneOf({ backgroundColor: '#c02040', duration: 1 })] })
  const { outcome } = await runOn(await nodeOf(t), objects, {
    kind: 'render',
    spec: { segments: [0], assemble: true },
    outputs: ['segment-0', 'output', 'thumbnail'],
  })
  t.true(outcome.done && 'output' in outcome.result)
  t.like(outcome, { result: { output: { duration: 1, frames: 10, width: 160, height: 90 } } })
  // Its ten frames are one picture.
  t.like(outcome, { result: { slowFrames: [{ frame: 0 }] } })
  const { dir } = await workOf(t)
  const film = join(dir, 'film')
  await writeFile(film, objects.objects.get('output') ?? '')
  const types = await outputOf(
    'ffprobe',
    '-show_entries',
    'stream=codec_type',
    '-of',
    'csv=p=0',
    film,
  )
  t.is(types.toString().trim(), 'video')
  const { data } = await sharp(objects.objects.get('thumbnail'))
    .raw()
    .toBuffer({ resolveWithObject: true })
  for (const [i, value] of [0xc0, 0x20, 0x40].entries()) {
    t.true(Math.abs((data[i] ?? 0) - value) <= 4, `${data.subarray(0, 3).toString('hex')}`)
  }
})

test('a transparent still keeps straight colours under alpha; a jpg is opaque', async (t) => {
  const objects = await objectsOf(t)
  const visuals = [imageOf({ x: 10, y: 10, width: 40, height: 20, opacity: 0.5 })]
  const image = {
    type: 'image',
    frameRate: 1,
    outputFormat: 'png',
    transparent: true,
    visuals,
  } as const
  await planOf(t, objects, image)
  const node = await nodeOf(t)
  const run = { kind: 'still', spec: {}, outputs: ['output', 'thumbnail'] } as const
  const still = await runOn(node, objects, { ...run, outputs: [...run.outputs] })
  t.true(still.outcome.done, JSON.stringify(still.outcome))
  const png = await sharp(objects.objects.get('output')).raw().toBuffer({ resolveWithObject: true })
  t.is(png.info.channels, 4)
  const at = (20 * 160 + 20) * 4
  const [r = 0, g = 0, b = 0, a = 0] = png.data.subarray(at, at + 4)
  t.true(
    Math.abs(r - 0x20) <= 2 && Math.abs(g - 0x60) <= 2 && Math.abs(b - 0xc0) <= 2,
    `${r} ${g} ${b}`,
  )
  t.true(Math.abs(a - 128) <= 1)
  t.is(png.data[3], 0)
  await planOf(t, objects, { ...image, outputFormat: 'jpg', transparent: false })
  const jpg = await runOn(node, objects, { ...run, outputs: [...run.outputs] })
  t.true(jpg.outcome.done, JSON.stringify(jpg.outcome))
  t.like(await sharp(objects.objects.get('output')).metadata(), { format: 'jpeg', channels: 3 })
})

test('a plan for another canvas is not painted, as its pixels differ', async (t) => {
  const objects = await objectsOf(t)
  const node = await nodeOf(t)
  for (const canvas of [
    { ...cpu, backend: 'skia' },
    { ...cpu, device: 'GPU A' },
  ] as const) {
    await planOf(t, objects, { canvas, duration: 1 })
    for (const [kind, spec] of [
      ['render', { segments: [0], assemble: false }],
      ['still', {}],
    ] as const) {
      const { outcome } = await runOn(node, objects, { kind, spec, outputs: [] })
      t.like(outcome, { done: false, code: 'unavailable' })
    }
  }
})

test('premultiplied colours are divided by their alpha', (t) => {
  const painted = Buffer.from([64, 32, 0, 128, 10, 20, 30, 255, 0, 0, 0, 0])
  t.deepEqual([...unpremultiplied(painted)], [128, 64, 0, 128, 10, 20, 30, 255, 0, 0, 0, 0])
})

test('documents are painted by Chromium and uploaded under their digests', async (t) => {
  const objects = await objectsOf(t)
  const document = {
    kind: 'html',
    markup: '<b>Hello</b>',
    style: { color: '#ff0000' },
    field: 'visuals[0]',
  }
  objects.objects.set('documents', Buffer.from(JSON.stringify([document])))
  const { outcome } = await runOn(await nodeOf(t), objects, {
    kind: 'bake',
    spec: { count: 1 },
    outputs: ['bake-0'],
  })
  t.true(outcome.done, JSON.stringify(outcome))
  const png = objects.objects.get('bake-0') ?? Buffer.alloc(0)
  t.like(outcome, { result: { bakes: [{ digest: sha256(png), bytes: png.length }] } })
})

test('a trusted host’s media are fetched, inspected and kept as they were', async (t) => {
  const objects = await objectsOf(t)
  const create = { width: 30, height: 10, channels: 4 as const, background: '#00ff0080' }
  const digest = objects.add(await sharp({ create }).png().toBuffer())
  const node = await nodeOf(t, { trustedHosts: [objects.host] })
  const spec = { url: objects.url(digest), field: 'visuals[0].src', expect: 'image' }
  const { outcome } = await runOn(node, objects, { kind: 'ingest', spec, outputs: ['media'] })
  t.true(outcome.done, JSON.stringify(outcome))
  const facts = { kind: 'image', format: 'png', width: 30, height: 10, hasAlpha: true }
  t.like(outcome, { result: { digest, facts } })
  t.is(sha256(objects.objects.get('media') ?? ''), digest)
})

test('media other than the request says end the task with their field', async (t) => {
  const objects = await objectsOf(t)
  const digest = objects.add(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))
  const trusted = await nodeOf(t, { trustedHosts: [objects.host] })
  const field = 'scenes[1].visuals[0].src'
  const spec = { url: objects.url(digest), field, expect: 'image' }
  const svg = await runOn(trusted, objects, { kind: 'ingest', spec, outputs: ['media'] })
  t.like(svg.outcome, { done: false, code: 'media_invalid', field })
  const stranger = await nodeOf(t)
  const inside = await runOn(stranger, objects, { kind: 'ingest', spec, outputs: ['media'] })
  t.like(inside.outcome, { done: false, code: 'media_refused', field })
  t.is(objects.state.puts, 0)
})

test('words of a project are in the log of its task alone', async (t) => {
  const objects = await objectsOf(t)
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => lines.push(line) })
  const field = 'scenes[1].visuals[0].src'
  const url = 'http://127.0.0.1:9876/a.png'
  const spec = { url, field, expect: 'image' }
  const node = await nodeOf(t, { log })
  const wanted = { kind: 'ingest', spec, outputs: ['media', 'log'] } as const
  const { outcome, followed } = await runOn(node, objects, {
    ...wanted,
    outputs: [...wanted.outputs],
  })
  t.true(!outcome.done && outcome.message.includes('Got port 9876'))
  const own = lines.filter((line) => line.includes('"task failed"'))
  t.is(own.length, 1)
  const { err, ...line } = JSON.parse(own[0] ?? '')
  t.is(err, undefined)
  t.like(line, { code: 'media_refused', field, blame: 'customer', job: 'job', attempt: 1 })
  t.false(lines.join('').includes('Got port 9876'))
  t.true(String(objects.objects.get('log')).includes('Got port 9876'))
  t.regex(followed.join(''), /fetching the medium/)
  t.false(followed.join('').includes('9876'), 'those who follow see it at the end only')
})

test('a task that is followed stores its log though it succeeds', async (t) => {
  const objects = await objectsOf(t)
  await planOf(t, objects, { scenes: [sceneOf({ duration: 0.5 })] })
  const spec = { segments: [0], assemble: false }
  const given = { kind: 'render' as const, spec, outputs: ['segment-0', 'log'] }
  const node = await nodeOf(t)
  const alone = await runOn(node, objects, given)
  t.true(alone.outcome.done)
  t.false(objects.objects.has('log'))
  const { outcome, followed } = await runOn(node, objects, { ...given, isFollowed: true })
  t.true(outcome.done)
  const words = followed.map((line) => JSON.parse(line).msg)
  t.deepEqual(words.slice(0, 3), ['attempt begun', 'object read', 'segment begun'])
  t.true(words.includes('segment rendered'))
  t.is(words.at(-1), 'task done')
  const stored = String(objects.objects.get('log')).trimEnd().split('\n')
  t.deepEqual(stored, [...followed])
})

for (const kind of ['ingest', 'bake', 'sheet'] as const) {
  test(`a failure of ${kind} by the farm’s fault logs no words either`, async (t) => {
    const objects = await objectsOf(t)
    const lines: string[] = []
    const log = pino({ level: 'info' }, { write: (line) => lines.push(line) })
    const spec = { words: 'hush-draft' }
    const { outcome } = await runOn(await nodeOf(t, { log }), objects, {
      ...{ kind, spec, outputs: ['log'] },
    })
    t.like(outcome, { done: false, code: 'internal' })
    const whole = lines.join('')
    t.regex(
      whole,
      /"code":"internal","field":"","blame":"farm","at":\["at .*"\],"msg":"task failed"/,
    )
    t.false(whole.includes('hush-draft'))
    t.true(String(objects.objects.get('log')).includes('hush-draft'))
  })
}

test('an object store that is away for a moment is waited for', async (t) => {
  const objects = await objectsOf(t)
  await planOf(t, objects, { scenes: [sceneOf({ duration: 0.5 })] })
  objects.state.failures = 2
  const { outcome } = await runOn(await nodeOf(t), objects, {
    kind: 'render',
    spec: { segments: [0], assemble: false },
    outputs: ['segment-0'],
  })
  t.true(outcome.done, JSON.stringify(outcome))
})

test('wrong bytes and a wrong spec fail and leave nothing behind', async (t) => {
  const objects = await objectsOf(t)
  const plan = await planOf(t, objects, { visuals: [imageOf()], duration: 1 })
  const [digest = ''] = plan.segments[0]?.pixels ?? []
  objects.objects.set(digest, Buffer.from('another picture'))
  const node = await nodeOf(t)
  const render = {
    kind: 'render',
    spec: { segments: [0], assemble: false },
    outputs: ['segment-0'],
  } as const
  const wrong = await runOn(node, objects, { ...render, outputs: [...render.outputs] })
  t.like(wrong.outcome, { done: false, code: 'internal', message: 'The node failed at its work.' })
  t.true(!wrong.outcome.done && wrong.outcome.logTail.includes('must have its digest'))
  const odd = await runOn(node, objects, { kind: 'render', spec: { segments: 'all' }, outputs: [] })
  t.like(odd.outcome, { done: false, code: 'internal' })
  t.deepEqual(await readdir(node.workDir), [])
})

test('a task that is aborted stops in the middle of its frames', async (t) => {
  const objects = await objectsOf(t)
  const plan = await planOf(t, objects, { ...threeScenes, frameRate: 60 })
  const abort = new AbortController()
  const node = await nodeOf(t)
  const { outcome, frames } = await runOn(node, objects, {
    kind: 'render',
    spec: { segments: plan.segments.map(({ index }) => index), assemble: false },
    outputs: named(plan.segments.map(({ index }) => index)),
    signal: abort.signal,
    onProgress: () => abort.abort(new Error('cancelled')),
  })
  t.false(outcome.done)
  t.true(frames < plan.timeline.frames)
  t.deepEqual(await readdir(node.workDir), [])
})

test('a drawn picture is cached for the next task', async (t) => {
  const objects = await objectsOf(t)
  // Much smaller than the photo, so that a reduced copy is drawn.
  const visuals = [imageOf({ x: 10, y: 10, width: 10, height: 5 })]
  await planOf(t, objects, { type: 'image', frameRate: 1, outputFormat: 'png', visuals })
  const still = async (node: Awaited<ReturnType<typeof nodeOf>>, prefix: string) => {
    const outputs = ['output', 'thumbnail']
    const { outcome } = await runOn(node, objects, { kind: 'still', spec: {}, outputs, prefix })
    t.true(outcome.done, JSON.stringify(outcome))
    return objects.objects.get(`${prefix}output`)
  }
  const node = await nodeOf(t)
  const first = await still(node, 'first-')
  t.true(first && first.length > 0)
  t.deepEqual(await still(node, 'second-'), first)
  t.deepEqual(await still(await nodeOf(t), 'elsewhere-'), first)
  const told = await node.node.metrics.registry.metrics()
  t.regex(told, /farm_cache_lookups_total\{cache="bitmaps",result="hit",role="worker"\} 1/)
  t.regex(told, /farm_cache_lookups_total\{cache="bitmaps",result="miss",role="worker"\} 1/)
})

/** A node whose first decoder claims these bytes as a picture of 40 x 20. */
async function nodeWithLiar(t: ExecutionContext, bytes: number) {
  const opened = await nodeOf(t)
  const { dir } = await workOf(t)
  const lies = [
    "head -c 4 > /dev/null; (printf '\\050\\0\\0\\0\\024\\0\\0\\0'",
    `head -c ${bytes} /dev/zero) >&3; echo '{"width":40,"height":20,"hasAlpha":true}'`,
    'exec sleep 300',
  ]
  let starts = 0
  const commandLine: typeof sandbox.commandLine = (program, fence) => {
    starts += 1
    if (starts === 1) return ['sh', '-c', lies.join('; ')]
    return sandbox.commandLine(program, fence)
  }
  const decoders = await decodersOf(t, { dir, fence: { ...sandbox, commandLine } })
  return { ...opened, node: { ...opened.node, decoders } }
}

async function stillFor(
  accountId: string,
  node: Awaited<ReturnType<typeof nodeOf>>,
  objects: Objects,
) {
  const outputs = ['output', 'thumbnail']
  const task = { kind: 'still', spec: {}, outputs, prefix: `${accountId}-`, accountId } as const
  const { outcome } = await runOn(node, objects, task)
  return { outcome, file: objects.objects.get(`${accountId}-output`) }
}

test('a hijacked decoder’s answer never reaches another account', async (t) => {
  const objects = await objectsOf(t)
  const visuals = [imageOf({ x: 10, y: 10, width: 10, height: 5 })]
  await planOf(t, objects, { type: 'image', frameRate: 1, outputFormat: 'png', visuals })
  const node = await nodeWithLiar(t, 40 * 20 * 4)
  const lie = await stillFor('one', node, objects)
  const truth = await stillFor('two', node, objects)
  const elsewhere = await stillFor('three', await nodeOf(t), objects)
  t.true(lie.outcome.done && truth.outcome.done)
  t.notDeepEqual(lie.file, truth.file)
  t.deepEqual(truth.file, elsewhere.file)
})

test('a decoder giving fewer pixels than stated ends only its task', async (t) => {
  const objects = await objectsOf(t)
  const visuals = [imageOf({ x: 10, y: 10, width: 10, height: 5 })]
  await planOf(t, objects, { type: 'image', frameRate: 1, outputFormat: 'png', visuals })
  const node = await nodeWithLiar(t, 4)
  t.like((await stillFor('one', node, objects)).outcome, { done: false, code: 'internal' })
  t.true((await stillFor('two', node, objects)).outcome.done)
})
