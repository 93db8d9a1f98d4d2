import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { Value } from 'typebox/value'
import { plans } from '../../../core/accounts/plans.ts'
import { makePlan } from '../../../core/plan/make-plan.ts'
import { bakeNeeds, mediaNeeds } from '../../../core/plan/needs.ts'
import { BakeResult, IngestResult } from '../../../core/queue/tasks.ts'
import { mediaKey } from '../../../core/timeline/facts.ts'
import { bakeKeyText } from '../../../core/visuals/painted/bake-document.ts'
import { factWarnings } from '../../../workflows/stages/job-inputs.ts'
import { resolved } from '../../core/project/outcome.ts'
import { outputOf, workOf } from '../encode/film-of.ts'
import { nodeOf, objectsOf, runOn } from './node-of.ts'

const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')
const size = { width: 320, height: 120, frameRate: 10, duration: 3 }

async function stageOf(t: ExecutionContext, file: Buffer) {
  const objects = await objectsOf(t)
  objects.objects.set('film.srt', file)
  const node = await nodeOf(t, { trustedHosts: [objects.host] })
  const spec = { url: objects.url('film.srt'), field: 'subtitle.src', expect: 'subtitle' }
  const ingest = () => runOn(node, objects, { kind: 'ingest', spec, outputs: ['media'] })
  return { objects, node, ingest }
}

/** Columns in which each frame of a film has anything brighter than grey. */
async function litColumns(film: string): Promise<number[]> {
  const args = ['-v', 'error', '-i', film, '-f', 'rawvideo', '-pix_fmt', 'gray', 'pipe:1']
  const raw = await outputOf('ffmpeg', ...args)
  const { width, height } = size
  return Array.from({ length: raw.length / width / height }, (_, n) => {
    const isLit = (x: number, y: number) => (raw[(n * height + y) * width + x] ?? 0) > 128
    const rows = Array.from({ length: height }, (_, y) => y)
    return Array.from({ length: width }, (_, x) => x).filter((x) => rows.some((y) => isLit(x, y)))
      .length
  })
}

test('a subtitle file is fetched, baked and shown when due', async (t) => {
  const file = Buffer.from('1\n00:00:01,000 --> 00:00:02,000\nHi World\n')
  const { objects, node, ingest } = await stageOf(t, file)
  const { outcome } = await ingest()
  if (!outcome.done) throw new Error(JSON.stringify(outcome))
  const { digest, facts } = Value.Parse(IngestResult, outcome.result)
  if (!facts) throw new Error('Nothing was known of the file before')
  const subtitle = { src: 'https://example.com/film.srt', animation: 'progressive' }
  const { project } = resolved({ ...size, backgroundColor: '#000', subtitle }, {}, plans.studio)
  const media = new Map(mediaNeeds(project).map((spec) => [mediaKey(spec), { digest, facts }]))

  t.deepEqual(bakeNeeds(project), [])
  const documents = bakeNeeds(project, media)
  objects.objects.set('documents', Buffer.from(JSON.stringify(documents)))
  const baking = { kind: 'bake', spec: { count: documents.length } } as const
  const baked = await runOn(node, objects, {
    ...baking,
    outputs: documents.map((_, i) => `bake-${i}`),
  })
  if (!baked.outcome.done) throw new Error(JSON.stringify(baked.outcome))
  const { bakes } = Value.Parse(BakeResult, baked.outcome.result)
  for (const i of bakes.keys()) objects.add(objects.objects.get(`bake-${i}`) ?? Buffer.alloc(0))
  const byKey = new Map(bakes.map((bake, i) => [bakeKeyText(documents[i] as never), bake]))
  const plan = makePlan({
    ...{ project, facts: { media, bakes: byKey }, encoder: 'libx264', sha256 },
    canvas: { backend: 'napi', device: 'CPU' },
  })
  objects.objects.set('plan', Buffer.from(JSON.stringify(plan)))
  const indexes = plan.segments.map(({ index }) => index)
  const rendered = await runOn(node, objects, {
    kind: 'render',
    spec: { segments: indexes, assemble: true },
    outputs: [...indexes.map((index) => `segment-${index}`), 'output', 'thumbnail'],
  })
  t.true(rendered.outcome.done, JSON.stringify(rendered.outcome))
  const { dir } = await workOf(t)
  await writeFile(join(dir, 'film'), objects.objects.get('output') ?? '')
  const lit = await litColumns(join(dir, 'film'))
  t.is(lit.length, 30)
  t.true(lit.slice(0, 10).every((count) => count === 0))
  t.true(lit.slice(20).every((count) => count === 0))
  // 'Hi' has 3 of 9 shares of the second, then the whole line is there.
  const [first = 0, whole = 0] = [lit[11], lit[15]]
  t.true(first > 0 && whole > 2 * first, `${first} ${whole}`)
})

for (const [why, file, code] of [
  ['not text', Buffer.from([0x31, 0x0a, 0xff, 0xfe, 0xfd]), 'media_invalid'],
  ['a page', Buffer.from('<!doctype html><p>'), 'media_invalid'],
  ['a picture', Buffer.from('\x89PNG\r\n\x1a\n.', 'latin1'), 'media_invalid'],
  ['a playlist', Buffer.from('#EXTM3U\nfile:///etc/passwd\n'), 'media_invalid'],
  ['larger than 256 KiB', Buffer.alloc(300 * 1024, '1\n'), 'media_too_large'],
] as const) {
  test(`a subtitle file is refused by its field: ${why}`, async (t) => {
    const { ingest } = await stageOf(t, file)
    const { outcome } = await ingest()
    t.false(outcome.done)
    t.like(outcome, { code, field: 'subtitle.src' })
  })
}

for (const order of ['little', 'big'] as const) {
  test(`a subtitle file marked UTF-16, ${order} end first, is read as that`, async (t) => {
    const bytes = Buffer.from('\ufeff1\n00:00:01,000 --> 00:00:02,000\nMäx\n', 'utf16le')
    const { ingest } = await stageOf(t, order === 'little' ? bytes : bytes.swap16())
    const { outcome } = await ingest()
    const caption = { start: 1, end: 2, text: 'Mäx' }
    t.like(outcome, { result: { facts: { kind: 'subtitle', format: 'srt', captions: [caption] } } })
  })
}

const srt = (text: string) => `1\n00:00:01,000 --> 00:00:02,000\n${text}\n`

for (const [why, file, text, warning] of [
  [
    'Windows-1252',
    Buffer.from(srt('Caf\xe9 \x96 \x93na\xefve\x94'), 'latin1'),
    'Café – “naïve”',
    'Windows-1252',
  ],
  ['UTF-16 without a mark', Buffer.from(srt('Mäx'), 'utf16le'), 'Mäx', undefined],
  ['UTF-8 with its mark', Buffer.from(`\ufeff${srt('Mäx')}`), 'Mäx', undefined],
  [
    'UTF-8 that lost a byte',
    Buffer.concat([
      Buffer.from('1\n00:00:01,000 --> 00:00:02,000\nÄÖÜ'),
      Buffer.from([0xc3, 0x0a]),
    ]),
    'ÄÖÜ',
    '1 letters are left out',
  ],
] as const) {
  test(`a subtitle file in ${why} is read, and a guess is reported`, async (t) => {
    const { ingest } = await stageOf(t, file)
    const { outcome } = await ingest()
    if (!outcome.done) throw new Error(JSON.stringify(outcome))
    const { facts } = Value.Parse(IngestResult, outcome.result)
    t.like(facts, { captions: [{ start: 1, end: 2, text }] })
    const warnings = facts?.kind === 'subtitle' ? (facts.warnings ?? []) : []
    t.is(warnings.length, warning === undefined ? 0 : 1)
    t.true(warning === undefined || warnings[0]?.includes(warning), warnings[0])
  })
}

test('an unusable cue is a job warning at the file’s field', async (t) => {
  const file = Buffer.from(`1\n00:00:00,000 --> 00:00:00,000\nNULL\n\n${srt('ONE')}`)
  const { ingest } = await stageOf(t, file)
  const { outcome } = await ingest()
  if (!outcome.done) throw new Error(JSON.stringify(outcome))
  const { digest, facts } = Value.Parse(IngestResult, outcome.result)
  if (!facts) throw new Error('Nothing was known of the file before')
  const subtitle = { src: 'https://example.com/film.srt' }
  const { project } = resolved({ ...size, subtitle }, {}, plans.studio)
  const media = new Map(mediaNeeds(project).map((spec) => [mediaKey(spec), { digest, facts }]))
  t.deepEqual(factWarnings(project, { documents: [], media, bakes: new Map() }), [
    {
      field: 'subtitle.src',
      code: 'subtitle_file',
      message:
        'A caption is left out. Its end must be > its start, s. Got 0, but it starts at 0 (line 2).',
    },
  ])
})

test('a WebVTT’s timestamps decide when words are due', async (t) => {
  const text = 'WEBVTT\n\n00:01.000 --> 00:03.000\nHi <00:02.250>World\n'
  const { ingest } = await stageOf(t, Buffer.from(text))
  const { outcome } = await ingest()
  const caption = { start: 1, end: 3, text: 'Hi World', wordStarts: [1, 2.25] }
  t.like(outcome, { result: { facts: { kind: 'subtitle', format: 'vtt', captions: [caption] } } })
})
