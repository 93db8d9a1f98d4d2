import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { type AudioClip, audioSampleRate } from '../../../core/plan/plan.ts'
import { packetSamples } from '../../../runtime/mp4/aac.ts'
import { decodeClip } from '../../../worker/media/sound-decode.ts'
import { joinMp4 } from '../../../worker/mp4/join.ts'
import { copySound } from '../../../worker/sound/copy-sound.ts'
import { encodeSegment, fine, workOf } from '../encode/film-of.ts'

const execute = promisify(execFile)
const rate = audioSampleRate
const seconds = 4

/** Two rising tones, a different one each side: no two packets are alike. */
const rising =
  "aevalsrc='0.4*sin(2*PI*(200+90*t)*t)|0.3*sin(2*PI*(900-60*t)*t)':s=48000:d=4".replace(
    'd=4',
    `d=${seconds}`,
  )

/** Disables noise that every decoder would draw anew. */
const aac = ['-c:a', 'aac', '-aac_pns', '0', '-b:a', '128k']

async function source(
  t: ExecutionContext,
  { input = rising, args = aac, name = 'source.m4a' } = {},
) {
  const { dir, sandbox } = await workOf(t)
  const file = join(dir, name)
  await execute('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', input, ...args, file])
  return { dir, sandbox, file }
}

function clipOf(changes: Partial<AudioClip> = {}): AudioClip {
  const whole = { at: 0, from: 0, length: 2 * rate, volume: 1, speed: 1, fades: [] }
  return { digest: 'source', field: 'audios[0]', ...whole, ...changes }
}

const copyOf = (clip: AudioClip, { file, dir }: { file: string; dir: string }) =>
  copySound({ clip, file, samples: clip.length }, dir)

async function pcmOf(file: string): Promise<Float32Array> {
  const args = ['-v', 'error', '-i', file, '-map', '0:a:0', '-f', 'f32le', '-ac', '2', '-']
  const { stdout } = await execute('ffmpeg', args, { encoding: 'buffer', maxBuffer: 2 ** 26 })
  return new Float32Array(stdout.buffer, stdout.byteOffset, stdout.length / 4)
}

function assertSame(t: ExecutionContext, seen: Float32Array, expected: Float32Array) {
  // ffmpeg gives all of the last packet.
  const extra = seen.length - expected.length
  t.true(extra >= 0 && extra < packetSamples * 2, `${extra} numbers more than there should be`)
  const off = expected.reduce((most, each, i) => Math.max(most, Math.abs(each - (seen[i] ?? 9))), 0)
  t.true(off < 1e-6, `a sample is off by ${off}`)
}

for (const [what, from, length] of [
  ['from its beginning', 0, 2 * rate],
  ['from its first packet on', 1024, rate],
  ['from the middle of a packet', 50_001, 1.5 * rate],
  ['up to its very end', 2 * rate, 2 * rate],
] as const) {
  test(`a stretch of AAC ${what} is copied sample for sample`, async (t) => {
    const made = await source(t)
    const copied = await copyOf(clipOf({ from, length }), made)
    if (copied === undefined) return t.fail('it was not copied')
    const all = await pcmOf(made.file)
    assertSame(t, await pcmOf(copied), all.slice(from * 2, (from + length) * 2))
  })
}

test('copied sound equals decoded sound, also beside pictures', async (t) => {
  const pictures = ['-f', 'lavfi', '-i', `testsrc2=s=64x48:r=25:d=${seconds}`, '-c:v', 'libx264']
  const made = await source(t, { args: [...pictures, '-bf', '2', ...aac], name: 'source.mp4' })
  const clip = clipOf({ from: 30_000 })
  const copied = await copyOf(clip, made)
  if (copied === undefined) return t.fail('it was not copied')
  const sound = { file: made.file, format: 'mp4', field: clip.field } as const
  const decoded = await decodeClip({ clip, sound, index: 0 }, made)
  assertSame(t, await pcmOf(copied), await pcmOf(decoded))
})

test('copied sound begins with the first frame and ends with the pictures', async (t) => {
  const made = await source(t)
  const copied = await copyOf(clipOf({ from: 7_777 }), made)
  const format = { width: 64, height: 48, frameRate: 25, encoder: fine, keyFrames: [] }
  const range = { dir: made.dir, index: 0, start: 0, frames: 50 }
  const { file } = await encodeSegment(format, range, () => Buffer.alloc(64 * 48 * 4, 120))
  const film = join(made.dir, 'out', 'film')
  await joinMp4(
    { segments: [file], frameRate: 25, title: '', ...(copied !== undefined && { sound: copied }) },
    film,
  )
  const all = await pcmOf(made.file)
  assertSame(t, await pcmOf(film), all.slice(7_777 * 2, (7_777 + 2 * rate) * 2))
  const entries = ['-show_entries', 'stream=codec_type,start_time,duration', '-of', 'csv=p=0']
  const { stdout } = await execute('ffprobe', ['-v', 'error', ...entries, film])
  t.deepEqual(stdout.trim().split('\n').sort(), [
    'audio,0.000000,2.000000',
    'video,0.000000,2.000000',
  ])
})

for (const [what, changes] of [
  ['begins later than the film', { at: 1 }],
  ['ends before the film', { length: rate, samples: 2 * rate }],
  ['is quieter', { volume: 0.5 }],
  ['is faster', { speed: 2 }],
  ['fades', { fades: [{ way: 'in', at: 0, length: 10 }] }],
  ['goes on after its source', { from: (seconds - 1) * rate }],
] as const) {
  test(`sound that ${what} is not copied`, async (t) => {
    const made = await source(t)
    const { samples, ...rest } = { samples: undefined, ...changes }
    const clip = clipOf(rest)
    t.is(
      await copySound({ clip, file: made.file, samples: samples ?? clip.length }, made.dir),
      undefined,
    )
  })
}

for (const [what, args, input] of [
  ['of another rate', [...aac, '-ar', '44100'], rising],
  ['of one channel', [...aac, '-ac', '1'], rising],
  ['that takes more than the film would give it', ['-c:a', 'aac', '-b:a', '320k'], 'anoisesrc=d=4'],
  ['of another codec', ['-c:a', 'mp3'], rising],
  ['in fragments', [...aac, '-movflags', 'frag_keyframe+empty_moov'], rising],
] as const) {
  test(`a source ${what} is not copied`, async (t) => {
    const made = await source(t, { args: [...args], input, name: 'source.mp4' })
    t.is(await copyOf(clipOf(), made), undefined)
  })
}

test('a damaged table never makes copying fail or leave the file', async (t) => {
  const made = await source(t)
  const bytes = await readFile(made.file)
  const moov = bytes.indexOf('moov', 0, 'latin1') + 4
  let copied = 0
  for (let at = moov; at < bytes.length; at += 7) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8((changed.readUInt8(at) + 1 + (at % 254)) % 256, at)
    const file = join(made.dir, 'changed.m4a')
    await writeFile(file, changed)
    const sound = await copyOf(clipOf(), { ...made, file })
    if (sound === undefined) continue
    copied += 1
    t.true((await readFile(sound)).length < bytes.length)
  }
  t.true(copied > 0)
})
