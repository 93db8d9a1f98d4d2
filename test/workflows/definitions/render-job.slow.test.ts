import test from 'ava'
import { engineVersion } from '../../../core/engine.ts'
import type { CanvasSettings, Plan } from '../../../core/plan/plan.ts'
import type { Warning } from '../../../core/project/lint/warning.ts'
import { addWarnings } from '../../../store/db/jobs/add-warnings.ts'
import { cancelJob } from '../../../store/db/jobs/cancel-job.ts'
import { getJob } from '../../../store/db/jobs/get-job.ts'
import { planKey } from '../../../store/objects/job-keys.ts'
import { addAccount } from '../../store/database.ts'
import { film, moving, picture, words } from '../films.ts'
import { type Answer, type PaperNode, startPaperNode, withPaperNode } from '../paper-node.ts'
import { type Parts, startParts } from '../parts.ts'

let parts: Parts

test.before(async () => {
  parts = await startParts()
})
test.after.always(() => parts?.stop())

function withNode<T>(
  how: { slots?: number; answer?: Answer },
  work: (node: PaperNode) => Promise<T>,
): Promise<T> {
  return withPaperNode(parts, how, work)
}

async function creditsOf(accountId: string) {
  return await parts.db
    .selectFrom('accounts')
    .select(['credits_balance as balance', 'credits_reserved as reserved'])
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow()
}

test.serial('a one-slot film is rendered and assembled under one lease, and charged', async (t) => {
  const account = await addAccount(parts.db)
  await withNode({}, async (node) => {
    const id = await parts.submit(account, { ...film, visuals: [picture, moving('Hello', 4)] })
    const job = await parts.waitUntil(account, id)
    t.is(job.state, 'completed', JSON.stringify(job.error))
    const { width, height } = film
    t.deepEqual(job.result, { duration: 4, size: 129, width, height, format: 'mp4' })
    t.deepEqual(node.done.map(({ kind }) => kind).sort(), ['bake', 'ingest', 'render'])
    t.deepEqual(Object.keys(job.stages).sort(), [
      'bake',
      'ingest',
      'plan',
      'render',
      'resolve',
      'settle',
    ])
    t.deepEqual(job.frames, { total: 40, reused: 0, painted: 40, done: 40 })
    t.is(job.creditsCharged, 10)
    t.deepEqual(await creditsOf(account), { balance: 990, reserved: 0 })
    t.truthy(await parts.objects.stat(job.outputKey ?? 'none'))
    t.truthy(await parts.objects.stat(job.thumbnailKey ?? 'none'))
  })
})

test.serial('captions of a file are painted once it has been read', async (t) => {
  const account = await addAccount(parts.db)
  await withNode({}, async (node) => {
    const subtitle = { src: 'https://example.com/film.srt', animation: 'highlight' }
    const id = await parts.submit(account, { ...film, visuals: [words('Film')], subtitle })
    const job = await parts.waitUntil(account, id)
    t.is(job.state, 'completed', JSON.stringify(job.error))
    const kinds = node.done.map(({ kind }) => kind)
    t.deepEqual(kinds.toSorted(), ['bake', 'bake', 'ingest', 'render'])
    t.true(kinds.lastIndexOf('bake') > kinds.indexOf('ingest'))
    const key = planKey({ accountId: account, jobId: id })
    const plan: Plan = JSON.parse(String(await parts.objects.read(key)))
    const [caption] = plan.timeline.captions ?? []
    t.deepEqual([caption?.begin, caption?.end, caption?.parts.length], [0, 9, 2])
    // Its two pictures and the title.
    t.is(plan.segments[0]?.pixels.length, 3)
  })
})

test.serial('several slots share the segments, and the film has them in order', async (t) => {
  const account = await addAccount(parts.db)
  await withNode({ slots: 3 }, async (node) => {
    const id = await parts.submit(account, { ...film, duration: 9, visuals: [moving('Hi', 9)] })
    const job = await parts.waitUntil(account, id)
    t.is(job.state, 'completed', JSON.stringify(job.error))
    const plan: Plan = JSON.parse(
      String(await parts.objects.read(planKey({ accountId: account, jobId: id }))),
    )
    const rendered = node.done.filter(({ kind }) => kind === 'render')
    t.deepEqual(rendered.map(({ spec }) => spec.segments).sort(), [[0], [1, 2], [3]])
    const made = String(await parts.objects.read(job.outputKey ?? ''))
    t.is(made, plan.segments.map(({ fingerprint }) => fingerprint).join('\n'))
    t.is(node.done.at(-1)?.kind, 'assemble')
  })
})

test.serial('a segment that occurs often in a film is rendered once', async (t) => {
  const account = await addAccount(parts.db)
  await withNode({}, async (node) => {
    const id = await parts.submit(account, { ...film, duration: 9, visuals: [] })
    const job = await parts.waitUntil(account, id)
    t.is(job.state, 'completed', JSON.stringify(job.error))
    t.deepEqual(
      node.done.map(({ kind, spec }) => [kind, spec.segments, spec.assemble]),
      [['render', [0], true]],
    )
    t.deepEqual(job.frames, { total: 90, reused: 60, painted: 1, done: 30 })
  })
})

test.serial('a webm asks for webm encoders, for its pictures and its sound', async (t) => {
  const account = await addAccount(parts.db)
  await withNode({ slots: 3 }, async (node) => {
    const audios = [{ src: 'https://example.com/song.mp3' }]
    const thumbnail = 'https://example.com/poster.png'
    const visuals = [moving('Hi', 9)]
    const webm = { ...film, duration: 9, outputFormat: 'webm', visuals, audios, thumbnail }
    const id = await parts.submit(account, webm)
    const job = await parts.waitUntil(account, id)
    t.is(job.state, 'completed', JSON.stringify(job.error))
    t.is(job.result?.format, 'webm')
    const rows = await parts.db
      .selectFrom('tasks')
      .select(['kind', 'requirements'])
      .where('job_id', '=', id)
      .execute()
    const asked = (kind: string) => rows.filter((row) => row.kind === kind)
    t.is(asked('render').length, 3)
    for (const { requirements } of asked('render')) {
      t.like(requirements, { encoder: 'libvpx-vp9' })
      t.false('soundEncoder' in requirements)
    }
    t.deepEqual(
      asked('assemble').map(({ requirements }) => requirements),
      [{ engine: engineVersion, soundEncoder: 'libopus' }],
    )
    const assembled = node.done.find(({ kind }) => kind === 'assemble')
    // The plan, four segments, the song and the poster.
    t.is(assembled?.inputs.length, 7)
  })
})

test.serial('the sound of an mp4 is encoded with its first shard, once', async (t) => {
  const account = await addAccount(parts.db)
  await withNode({ slots: 3 }, async (node) => {
    const audios = [{ src: 'https://example.com/song.mp3' }]
    const loud = { ...film, duration: 9, visuals: [moving('Hi', 9)], audios }
    const job = await parts.waitUntil(account, await parts.submit(account, loud))
    t.is(job.state, 'completed', JSON.stringify(job.error))
    const encoded = node.done.filter(({ spec }) => spec.sound)
    t.deepEqual(encoded.map(({ kind, spec }) => [kind, spec.segments]).sort(), [
      ['assemble', undefined],
      ['render', [0]],
    ])
    const assembled = encoded.find(({ kind }) => kind === 'assemble')
    const names = assembled?.inputs.map(({ name }) => name)
    const segments = [0, 1, 2, 3].map((n) => `segment-${n}`)
    t.deepEqual(names?.slice(0, -1), ['plan', ...segments, 'sound'])
    // The picture that the thumbnail shows.
    t.regex(names?.at(-1) ?? '', /^[0-9a-f]{64}$/)
  })
})

test.serial('a thumbnail of a clip is taken with its segment’s render shard', async (t) => {
  const account = await addAccount(parts.db)
  await withNode({ slots: 3 }, async (node) => {
    const clip = { type: 'VIDEO', src: 'https://example.com/clip.mp4', width: 1920, height: 1280 }
    const job = await parts.waitUntil(
      account,
      await parts.submit(account, { ...film, duration: 9, visuals: [clip] }),
    )
    t.is(job.state, 'completed', JSON.stringify(job.error))
    const taking = node.done.filter(({ kind, spec }) => kind === 'render' && spec.thumbnail)
    // The second of four segments shows frame 30.
    t.is(taking.length, 1)
    t.true((taking[0]?.spec.segments as number[] | undefined)?.includes(1))
    const assembled = node.done.find(({ kind }) => kind === 'assemble')
    t.deepEqual(assembled?.spec, { thumbnail: true })
    t.is(assembled?.inputs.at(-1)?.name, 'thumbnail')
  })
})

test.serial('sound equal to an earlier film’s is not encoded again', async (t) => {
  const account = await addAccount(parts.db)
  await withNode({ slots: 3 }, async (node) => {
    const song = { src: 'https://example.com/song.mp3' }
    const render = async (words: string, duration: number, audio: object = song) => {
      const told = { ...film, duration, visuals: [moving(words, duration)], audios: [audio] }
      const id = await parts.submit(account, told)
      t.is((await parts.waitUntil(account, id)).state, 'completed')
      return node.done.filter(({ kind, jobId }) => jobId === id && kind !== 'ingest')
    }
    const encoding = (tasks: typeof node.done) =>
      tasks.filter(({ kind, spec }) => kind === 'render' && spec.sound).length
    const soundIn = (tasks: typeof node.done) =>
      tasks.flatMap(({ inputs }) => inputs).find(({ name }) => name === 'sound')?.key

    const first = await render('Ann', 9)
    t.is(encoding(first), 1)
    const second = await render('Bob', 9)
    t.is(encoding(second), 0)
    t.is(soundIn(second), soundIn(first))
    t.is(encoding(await render('Bea', 9, { ...song, volume: 0.5 })), 1)

    // A film of one task uses it as well, and needs no encoder of sound.
    t.is(encoding(await render('Cleo', 1)), 1)
    const [whole] = (await render('Dan', 1)).filter(({ kind }) => kind === 'render')
    t.like(whole?.spec, { assemble: true, soundStored: true })
    t.deepEqual(
      whole?.inputs.map(({ name }) => name).filter((name) => name === 'sound'),
      ['sound'],
    )
  })
})

test.serial('a painted element’s warnings are in the job, once a field', async (t) => {
  const account = await addAccount(parts.db)
  await withNode({}, async () => {
    const styled = (html: string) => ({ ...words(html), style: { float: 'left', zIndex: 3 } })
    const scenes = [{ duration: 1, visuals: [words('plain'), styled('one')] }]
    const request = { ...film, scenes, visuals: [styled('one'), styled('one'), styled('two')] }
    const fields = ['visuals[0]', 'visuals[1]', 'visuals[2]', 'scenes[0].visuals[1]']
    const expected: Warning[] = fields.flatMap((field) =>
      ['float', 'zIndex'].map((property) => ({
        ...{ field: `${field}.style.${property}`, code: 'style_ignored' as const },
        message: `${property} has no effect`,
      })),
    )
    // The pictures are in the store the second time.
    for (const _ of [1, 2]) {
      const id = await parts.submit(account, request)
      const job = await parts.waitUntil(account, id)
      t.is(job.state, 'completed', JSON.stringify(job.error))
      t.deepEqual(job.warnings, expected)
      await addWarnings(parts.db, { accountId: account, jobId: id, warnings: expected })
      const stored = await getJob(parts.db, { accountId: account, jobId: id })
      t.deepEqual(stored?.warnings, expected)
    }
  })
})

test.serial('one canvas paints all of a job, though nodes have several', async (t) => {
  const account = await addAccount(parts.db)
  const gpu: CanvasSettings = { backend: 'skia', device: 'GPU A' }
  await withNode({ slots: 2 }, async (onCpu) => {
    const onGpu = await startPaperNode({ ...parts, slots: 3, canvas: gpu })
    t.teardown(() => onGpu.stop())
    const renders = ({ done }: typeof onGpu) => done.filter(({ kind }) => kind === 'render').length
    const planned = async (visuals: readonly unknown[]) => {
      const id = await parts.submit(account, { ...film, duration: 9, visuals })
      const job = await parts.waitUntil(account, id)
      t.is(job.state, 'completed', JSON.stringify(job.error))
      const key = planKey({ accountId: account, jobId: id })
      const { canvas }: Plan = JSON.parse(String(await parts.objects.read(key)))
      return { canvas, frames: job.frames }
    }
    t.deepEqual((await planned([moving('Hi', 9)])).canvas, gpu)
    t.deepEqual([renders(onCpu), renders(onGpu)], [0, 3])
    await onGpu.stop()
    await parts.db
      .deleteFrom('nodes')
      .where('offer', '@>', { canvas: 'skia' } as never)
      .execute()
    const later = await planned([moving('Hi', 9)])
    t.deepEqual(later.canvas, { backend: 'napi', device: 'CPU' })
    t.is(later.frames.reused, 0)
    t.deepEqual([renders(onCpu), renders(onGpu)], [2, 3])
  })
})

test.serial('a still is painted by one task', async (t) => {
  const account = await addAccount(parts.db)
  await withNode({}, async (node) => {
    const { width, height } = film
    const id = await parts.submit(account, {
      type: 'image',
      width,
      height,
      visuals: [words('Still')],
    })
    const job = await parts.waitUntil(account, id)
    t.is(job.state, 'completed', JSON.stringify(job.error))
    t.is(job.result?.format, 'png')
    t.is(job.result?.duration, 0)
    t.is(job.creditsCharged, 1)
    t.deepEqual(
      node.done.map(({ kind }) => kind),
      ['bake', 'still'],
    )
  })
})

test.serial('media a node refuses fail the job with its reason, costing nothing', async (t) => {
  const account = await addAccount(parts.db)
  const answer: Answer = ({ kind }) =>
    kind === 'ingest' ? { error: 'The file must be a picture. Got a text' } : 'answer'
  await withNode({ answer }, async () => {
    const id = await parts.submit(account, { ...film, visuals: [picture] })
    const job = await parts.waitUntil(account, id)
    t.is(job.state, 'failed')
    t.is(job.error?.code, 'media_invalid')
    t.is(job.error?.message, 'The file must be a picture. Got a text')
    t.deepEqual(
      job.error?.details.map(({ field }) => field),
      ['visuals[0].src'],
    )
    t.deepEqual(await creditsOf(account), { balance: 1000, reserved: 0 })
  })
})

test.serial('an answer no honest node gives fails the job, not the farm', async (t) => {
  const account = await addAccount(parts.db)
  const lies: Answer[] = [
    ({ kind }) => (kind === 'ingest' ? { result: { digest: '../../etc', bytes: -1 } } : 'answer'),
    ({ kind }) => (kind === 'render' ? { result: { segments: [], seconds: {} } } : 'answer'),
  ]
  for (const answer of lies) {
    await withNode({ answer }, async () => {
      const id = await parts.submit(account, { ...film, visuals: [picture] })
      const job = await parts.waitUntil(account, id)
      t.is(job.state, 'failed')
      t.is(job.error?.code, 'internal')
    })
  }
  t.deepEqual(await creditsOf(account), { balance: 1000, reserved: 0 })
})

test.serial('a film longer than its plan allows, by its sound, is refused', async (t) => {
  const account = await addAccount(parts.db)
  await withNode({}, async () => {
    const sound = { src: 'https://example.com/long.mp3', enter: 299, audioEnd: 9000 }
    const scenes = [{ visuals: [words('x')], audios: [sound] }]
    const id = await parts.submit(account, { width: 100, height: 60, frameRate: 1, scenes })
    const job = await parts.waitUntil(account, id)
    t.is(job.state, 'failed')
    t.is(job.error?.code, 'plan_limit')
  })
})

test.serial('a cancelled job stops its tasks and is charged for painted frames', async (t) => {
  const account = await addAccount(parts.db)
  const answer: Answer = ({ kind }) => (kind === 'render' ? 'hold' : 'answer')
  await withNode({ answer }, async () => {
    const id = await parts.submit(account, { ...film, visuals: [words('Stop')] })
    await parts.waitUntil(account, id, ({ frames }) => frames.done > 0)
    await cancelJob(parts.db, { accountId: account, jobId: id, reason: 'test' })
    const job = await parts.waitUntil(account, id)
    t.is(job.state, 'cancelled')
    t.is(job.creditsCharged, Math.floor((10 * 7) / 40))
    const open = await parts.db
      .selectFrom('tasks')
      .select('name')
      .where('job_id', '=', id)
      .where('state', 'in', ['queued', 'leased'])
      .execute()
    t.deepEqual(open, [])
  })
})
