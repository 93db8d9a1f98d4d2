import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { makePlan } from '../../../core/plan/make-plan.ts'
import type { ResolvedProject } from '../../../core/project/resolved.ts'
import { type ClipFacts, mediaKey } from '../../../core/timeline/facts.ts'
import { audioOf, projectOf, soundSrc, videoOf, videoSrc } from '../../core/project-of.ts'
import { outputOf, workOf } from '../encode/film-of.ts'
import { nodeOf, objectsOf, runOn } from './node-of.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const seconds = 2
const size = { width: 64, height: 36 }

/** A clip of two seconds with sound. */
async function sourceOf(t: ExecutionContext) {
  const { dir } = await workOf(t)
  const file = join(dir, 'source.mp4')
  const lavfi = (filter: string) => ['-f', 'lavfi', '-i', `${filter}:d=${seconds}`]
  await outputOf(
    'ffmpeg',
    ...lavfi('testsrc2=s=64x36:r=30'),
    ...lavfi('aevalsrc=0.3*sin(2500*t)|0.2*sin(3100*t):s=48000'),
    ...['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-c:a', 'aac', '-b:a', '128k', file],
  )
  return { dir, file, bytes: await readFile(file) }
}

async function render(t: ExecutionContext, source: Buffer, changes: Partial<ResolvedProject>) {
  const objects = await objectsOf(t)
  const digest = objects.add(source)
  const clip: ClipFacts = {
    ...{ kind: 'video', format: 'mp4', ...size, frameRate: [30, 1], frames: 30 * seconds },
    ...{ hasAlpha: false, hasAudio: true },
  }
  const sound = { kind: 'audio', format: 'mp4', duration: seconds } as const
  const media = new Map([
    [mediaKey({ expect: 'video', url: videoSrc }), { digest, facts: clip }],
    [
      mediaKey({ expect: 'audio', url: soundSrc }),
      { digest, facts: { ...sound, sampleRate: 48_000, channels: 2 } },
    ],
  ])
  const plan = makePlan({
    ...{ project: projectOf({ ...size, frameRate: 30, duration: seconds, ...changes }), sha256 },
    ...{ facts: { media, bakes: new Map() }, encoder: 'libx264' },
    canvas: { backend: 'napi', device: 'CPU' },
  })
  objects.objects.set('plan', Buffer.from(JSON.stringify(plan)))
  const segments = plan.segments.map(({ index }) => index)
  const { outcome } = await runOn(await nodeOf(t), objects, {
    kind: 'render',
    spec: { segments, assemble: true, preview: false },
    outputs: [...segments.map((index) => `segment-${index}`), 'output', 'thumbnail'],
  })
  return { outcome, film: objects.objects.get('output') }
}

/** A digest for each packet of sound. */
async function packetsOf(file: string): Promise<string[]> {
  const options = ['-map', '0:a:0', '-c', 'copy', '-f', 'framemd5', '-']
  const lines = String(await outputOf('ffmpeg', '-i', file, ...options)).split('\n')
  return lines
    .filter((line) => line.startsWith('0,'))
    .map((line) => line.slice(line.lastIndexOf(',')))
}

const films: [string, Partial<ResolvedProject>][] = [
  ['its music', { audios: [audioOf({ matchDuration: true })] }],
  ['its clip', { visuals: [videoOf(size)] }],
]
for (const [what, project] of films) {
  test(`a film whose sound is that of ${what} has exactly those packets`, async (t) => {
    const source = await sourceOf(t)
    const { outcome, film } = await render(t, source.bytes, project)
    if (!outcome.done || !film) return t.fail(JSON.stringify(outcome))
    const file = join(source.dir, 'film')
    await writeFile(file, film)
    const [packets, heard] = [await packetsOf(source.file), await packetsOf(file)]
    t.true(heard.length > 90)
    t.deepEqual(heard, packets.slice(0, heard.length))
  })
}

test('quieter, it is encoded anew', async (t) => {
  const source = await sourceOf(t)
  const audios = [audioOf({ matchDuration: true, volume: 0.5 })]
  const { film } = await render(t, source.bytes, { audios })
  const file = join(source.dir, 'film')
  await writeFile(file, film ?? '')
  const packets = new Set(await packetsOf(source.file))
  t.deepEqual((await packetsOf(file)).filter((each) => packets.has(each)).slice(2), [])
})

test('a clip with damaged sound fails by its field and second', async (t) => {
  const { file, bytes } = await sourceOf(t)
  const entries = ['-select_streams', 'a', '-show_entries', 'packet=pos,size', '-of', 'csv=p=0']
  const packets = String(await outputOf('ffprobe', ...entries, file))
    .trim()
    .split('\n')
  for (const packet of packets.slice(packets.length / 2)) {
    const [size = 0, position = 0] = packet.split(',').map(Number)
    bytes.fill(0xff, position, position + size)
  }
  const visuals = [videoOf({ ...size, field: 'visuals[0]' })]
  const { outcome } = await render(t, bytes, { visuals })
  if (outcome.done) return t.fail('it was rendered')
  t.deepEqual([outcome.code, outcome.field], ['media_invalid', 'visuals[0]'])
  t.regex(outcome.message, /breaks at second (0\.[89]|1\.[01])/)
})
