import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { FarmError } from '../../../core/errors.ts'
import { audioClips } from '../../../core/plan/audio.ts'
import { audioSampleRate } from '../../../core/plan/plan.ts'
import type { ResolvedProject } from '../../../core/project/resolved.ts'
import type { MediaFacts } from '../../../core/queue/tasks.ts'
import { mediaKey } from '../../../core/timeline/facts.ts'
import { makeTimeline } from '../../../core/timeline/timeline.ts'
import { sniffFile } from '../../../runtime/media/sniff.ts'
import { decodeClip } from '../../../worker/media/sound-decode.ts'
import { mixSound } from '../../../worker/sound/mix.ts'
import { audioOf, projectOf, sceneOf, soundSrc, videoOf, videoSrc } from '../../core/project-of.ts'
import { outputOf, workOf, writeWav } from '../encode/film-of.ts'

/** Tests the way from a resolved project to its sound: the plan's clips, decoded and mixed. */

type Source = { file: string; facts: MediaFacts }

const rate = audioSampleRate
const sourceSeconds = 6

const soundFacts: MediaFacts = {
  kind: 'audio',
  format: 'wav',
  duration: sourceSeconds,
  sampleRate: rate,
  channels: 1,
}

async function heard(
  t: ExecutionContext,
  changes: Partial<ResolvedProject>,
  sources: Record<string, Source>,
): Promise<Float32Array> {
  const work = await workOf(t)
  const files = new Map(Object.entries(sources))
  const media = new Map(
    [...files].map(([url, { facts }]) => [
      mediaKey({ expect: facts.kind, url }),
      { digest: url, facts },
    ]),
  )
  const project = projectOf(changes)
  const facts = { media, bakes: new Map() }
  const timeline = makeTimeline(project, facts)
  const clips = audioClips(project, { timeline, facts })
  const decoded = []
  for (const [index, clip] of clips.entries()) {
    const file = files.get(clip.digest)?.file ?? ''
    const sniffed = await sniffFile(file)
    if (!('format' in sniffed) || sniffed.kind === 'image') throw new Error('no sound')
    const sound = { file, format: sniffed.format, field: clip.field }
    decoded.push({ clip, file: await decodeClip({ clip, sound, index }, work) })
  }
  const samples = Math.round((timeline.frames * rate) / timeline.frameRate)
  const blocks: Buffer[] = []
  for await (const block of mixSound(decoded, samples)) blocks.push(Buffer.from(block))
  const bytes = Buffer.concat(blocks)
  const stereo = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)
  t.is(stereo.length, samples * 2)
  return stereo.filter((_, i) => i % 2 === 0)
}

/** A click of one sample at each of the source's whole seconds, the n-th of height (n + 1) / 10. */
async function clicks(t: ExecutionContext): Promise<Source> {
  const { dir } = await workOf(t)
  const file = await writeWav(join(dir, 'clicks'), { samples: sourceSeconds * rate }, (i) =>
    i % rate === 0 ? (i / rate + 1) / 10 : 0,
  )
  return { file, facts: soundFacts }
}

async function tone(t: ExecutionContext, hz: number, level = 0.4): Promise<Source> {
  const { dir } = await workOf(t)
  const file = await writeWav(
    join(dir, `tone-${hz}`),
    { samples: sourceSeconds * rate },
    (i) => Math.sin((2 * Math.PI * hz * i) / rate) * level,
  )
  return { file, facts: soundFacts }
}

/** Samples that are not silent, each with its height rounded to a tenth. */
function clicksIn(pcm: Float32Array): [number, number][] {
  const found: [number, number][] = []
  pcm.forEach((value, i) => {
    if (Math.abs(value) > 0.03) found.push([i, Math.round(value * 100) / 100])
  })
  return found
}

/** Amplitude of one frequency between two samples. */
function levelOf(pcm: Float32Array, hz: number, [from, to]: readonly [number, number]): number {
  let sine = 0
  let cosine = 0
  for (let i = from; i < to; i += 1) {
    const angle = (2 * Math.PI * hz * i) / rate
    sine += (pcm[i] ?? 0) * Math.sin(angle)
    cosine += (pcm[i] ?? 0) * Math.cos(angle)
  }
  return (2 * Math.hypot(sine, cosine)) / (to - from)
}

const secondsOf = (from: number, to: number) =>
  [Math.round(from * rate), Math.round(to * rate)] as const

const peakIn = (pcm: Float32Array, [from, to]: readonly [number, number]) =>
  pcm.subarray(from, to).reduce((most, value) => Math.max(most, Math.abs(value)), 0)

for (const [what, audio, expected] of [
  ['all of it from the start', {}, [0, 0.1, 1, 0.2, 2, 0.3, 3, 0.4]],
  ['from enter', { enter: 1.5 }, [1.5, 0.1, 2.5, 0.2, 3.5, 0.3]],
  ['up to exit, which is not heard itself', { exit: 2 }, [0, 0.1, 1, 0.2]],
  ['trimmed at its begin', { audioBegin: 1 }, [0, 0.2, 1, 0.3, 2, 0.4, 3, 0.5]],
  ['trimmed at its end', { audioEnd: 2.5 }, [0, 0.1, 1, 0.2, 2, 0.3]],
  ['audioDuration of it', { audioBegin: 2, audioDuration: 1.5 }, [0, 0.3, 1, 0.4]],
  ['at half the volume', { audioEnd: 2, volume: 0.5 }, [0, 0.05, 1, 0.1]],
  ['at twice the volume', { audioEnd: 2, volume: 2 }, [0, 0.2, 1, 0.4]],
  [
    'as long as the film, whatever exit says',
    { matchDuration: true, exit: 1, audioBegin: 3 },
    [0, 0.4, 1, 0.5, 2, 0.6],
  ],
  ['on any track', { track: 7, audioEnd: 1 }, [0, 0.1]],
] as const) {
  test(`an audio item plays ${what}: every click at its sample`, async (t) => {
    const pcm = await heard(
      t,
      { duration: 4, audios: [audioOf(audio)] },
      { [soundSrc]: await clicks(t) },
    )
    const pairs = expected.flatMap((value, i) =>
      i % 2 === 0 ? [[value * rate, expected[i + 1] ?? 0]] : [],
    )
    t.deepEqual(clicksIn(pcm), pairs)
  })
}

test('another speed scales the source’s seconds and keeps the pitch', async (t) => {
  for (const speed of [0.5, 2, 4]) {
    const audio = audioOf({ enter: 0.5, audioBegin: 1, audioEnd: 4, speed })
    const pcm = await heard(t, { duration: 8, audios: [audio] }, { [soundSrc]: await tone(t, 440) })
    const end = 0.5 + 3 / speed
    t.is(peakIn(pcm, secondsOf(0, 0.5)), 0)
    t.true(Math.abs(levelOf(pcm, 440, secondsOf(0.6, end - 0.1)) - 0.4) < 0.05, `speed ${speed}`)
    t.true(peakIn(pcm, secondsOf(end - 0.02, end)) > 0.3)
    t.is(peakIn(pcm, secondsOf(end, 8)), 0)
  }
})

test('half and double speed keep sounds within a millisecond', async (t) => {
  const { dir } = await workOf(t)
  // A burst of 50 ms in the middle of every second.
  const heightAt = (i: number) => (i % rate >= 24_000 && i % rate < 26_400 ? 0.8 : 0)
  const file = await writeWav(
    join(dir, 'bursts'),
    { samples: sourceSeconds * rate },
    (i) => Math.sin(i / 6) * heightAt(i),
  )
  for (const speed of [0.5, 2]) {
    const sources = { [soundSrc]: { file, facts: soundFacts } }
    const pcm = await heard(t, { duration: 12, audios: [audioOf({ speed })] }, sources)
    for (let second = 0; second < sourceSeconds; second += 1) {
      const at = Math.round(((second + 0.5) / speed) * rate)
      const onset = pcm.subarray(at - 4_800, at + 4_800).findIndex((x) => Math.abs(x) > 0.4) - 4_800
      t.true(Math.abs(onset) <= 0.001 * rate, `at ${speed}, burst ${second} is off by ${onset}`)
    }
  }
})

test('items of a scene count from its begin, and end with it', async (t) => {
  const scenes = [
    sceneOf({ id: 'a', duration: 2 }),
    sceneOf({ id: 'b', duration: 2, audios: [audioOf({ enter: 0.25 })] }),
    sceneOf({ id: 'c', duration: 2 }),
  ]
  const pcm = await heard(t, { scenes }, { [soundSrc]: await clicks(t) })
  t.deepEqual(clicksIn(pcm), [
    [2.25 * rate, 0.1],
    [3.25 * rate, 0.2],
  ])
})

test('scenes that lead into each other cross-fade, neither louder nor softer', async (t) => {
  const item = (url: string, matchDuration = true) => [audioOf({ src: url, matchDuration })]
  const scenes = [
    sceneOf({ id: 'a', transition: 'fade', transitionDuration: 1, audios: item('low') }),
    sceneOf({ id: 'b', audios: item('high') }),
  ]
  const sources = { low: await tone(t, 400), high: await tone(t, 1000) }
  const pcm = await heard(t, { scenes }, sources)
  t.is(pcm.length, 3 * rate)
  const at = (second: number, hz: number) =>
    levelOf(pcm, hz, secondsOf(second - 0.05, second + 0.05))
  for (const [second, low, high] of [
    [0.5, 1, 0],
    [1.25, 0.75, 0.25],
    [1.5, 0.5, 0.5],
    [1.75, 0.25, 0.75],
    [2.5, 0, 1],
  ] as const) {
    t.true(Math.abs(at(second, 400) - low * 0.4) < 0.01, `low at ${second}: ${at(second, 400)}`)
    t.true(Math.abs(at(second, 1000) - high * 0.4) < 0.01, `high at ${second}: ${at(second, 1000)}`)
  }
  const same = await heard(t, { scenes }, { low: sources.low, high: sources.low })
  // Source and scene begin 1 s apart: 400 full cycles, so the two are the same wave.
  for (let second = 0.1; second < 2.9; second += 0.1) {
    const level = levelOf(same, 400, secondsOf(second - 0.05, second + 0.05))
    t.true(Math.abs(level - 0.4) < 0.005, `at ${second} the level is ${level}`)
  }
  let step = 0
  for (let i = 1; i < same.length; i += 1) {
    step = Math.max(step, Math.abs((same[i] ?? 0) - (same[i - 1] ?? 0)))
  }
  t.true(step < 0.4 * ((2 * Math.PI * 400) / rate) * 1.05, `the largest step is ${step}`)
})

test('a hard cut does not fade', async (t) => {
  const audios = [audioOf({ matchDuration: true })]
  const scenes = [sceneOf({ id: 'a', audios }), sceneOf({ id: 'b' })]
  const pcm = await heard(t, { scenes }, { [soundSrc]: await tone(t, 500) })
  t.true(peakIn(pcm, secondsOf(1.98, 2)) > 0.39)
  t.is(peakIn(pcm, secondsOf(2, 4)), 0)
})

test('forty loud items stay below full scale, a lone soft one untouched', async (t) => {
  const loud = Array.from({ length: 40 }, () => audioOf({ src: 'loud', exit: 1, volume: 2 }))
  const soft = audioOf({ src: 'soft', enter: 3 })
  const sources = { loud: await tone(t, 300, 0.9), soft: await tone(t, 300, 0.2) }
  const pcm = await heard(t, { duration: 5, audios: [...loud, soft] }, sources)
  t.true(peakIn(pcm, secondsOf(0, 2)) < 0.99)
  const levels = [0.2, 0.4, 0.6, 0.8].map((second) =>
    levelOf(pcm, 300, secondsOf(second, second + 0.1)),
  )
  t.true(Math.max(...levels) - Math.min(...levels) < 0.01, `${levels}`)
  t.true(Math.abs(levelOf(pcm, 300, secondsOf(4, 4.5)) - 0.2) < 0.002)
})

for (const [name, args] of [
  ['webm', ['-c:a', 'libopus', '-f', 'webm']],
  ['ogg', ['-c:a', 'libopus', '-f', 'ogg']],
  ['flac', ['-c:a', 'flac', '-f', 'flac']],
  ['m4a', ['-c:a', 'aac', '-f', 'ipod']],
] as const) {
  test(`a click in a ${name} is heard at its sample`, async (t) => {
    const { dir } = await workOf(t)
    const samples = 2 * rate
    const wav = await writeWav(join(dir, 'step'), { samples }, (i) =>
      i < rate ? 0 : Math.cos((i - rate) / 20) / 2,
    )
    const file = join(dir, 'coded')
    await outputOf('ffmpeg', '-f', 'wav', '-i', wav, ...args, file)
    t.true((await readFile(file)).length > 0)
    const audios = [audioOf({ enter: 0.5 })]
    const pcm = await heard(t, { duration: 3, audios }, { [soundSrc]: { file, facts: soundFacts } })
    const onset = pcm.findIndex((value) => Math.abs(value) > 0.25)
    t.true(Math.abs(onset - 1.5 * rate) <= 12, `it is at ${onset}`)
  })
}

/** A clip of 6 s with the source's sound, in a lossless film file. */
async function filmWith(t: ExecutionContext, sound: Source): Promise<Source> {
  const { dir } = await workOf(t)
  const file = join(dir, 'clip')
  const picture = ['-f', 'lavfi', '-i', `color=c=gray:s=40x20:r=10:d=${sourceSeconds}`]
  const codecs = ['-c:v', 'libx264', '-c:a', 'pcm_s16le', '-f', 'mov']
  await outputOf('ffmpeg', ...picture, '-f', 'wav', '-i', sound.file, ...codecs, file)
  const size = { width: 40, height: 20, hasAlpha: false }
  const length = { frameRate: [10, 1] as [number, number], frames: sourceSeconds * 10 }
  return { file, facts: { kind: 'video', format: 'mp4', ...size, ...length, hasAudio: true } }
}

for (const [what, video, expected] of [
  [
    'as long as it is seen',
    { enterBegin: 0.5, exitBegin: 2.5, exitEnd: 2.5 },
    [0.5, 0.1, 1.5, 0.2],
  ],
  [
    'from videoBegin to videoEnd, then it is silent',
    { videoBegin: 2, videoEnd: 3.5 },
    [0, 0.3, 1, 0.4],
  ],
  ['for videoDuration', { videoBegin: 1, videoDuration: 0.5 }, [0, 0.2]],
  ['at its volume', { videoEnd: 1.5, volume: 0.5 }, [0, 0.05, 1, 0.1]],
  ['not when it is muted', { volume: 0 }, []],
  ['not when hasAudio is false', { hasAudio: false }, []],
] as const) {
  test(`a clip is heard ${what}`, async (t) => {
    const film = await filmWith(t, await clicks(t))
    const pcm = await heard(t, { duration: 4, visuals: [videoOf(video)] }, { [videoSrc]: film })
    const pairs = expected.flatMap((value, i) =>
      i % 2 === 0 ? [[value * rate, expected[i + 1] ?? 0]] : [],
    )
    t.deepEqual(clicksIn(pcm), pairs)
  })
}

test('a clip without sound is silent, whatever hasAudio says', async (t) => {
  const film = await filmWith(t, await clicks(t))
  const silent = { ...film, facts: { ...film.facts, hasAudio: false } as MediaFacts }
  const visuals = [videoOf({ hasAudio: true })]
  const pcm = await heard(t, { duration: 2, visuals }, { [videoSrc]: silent })
  t.is(peakIn(pcm, secondsOf(0, 2)), 0)
})

test('a scene’s clip is heard there, at double speed with its pitch', async (t) => {
  const film = await filmWith(t, await tone(t, 600))
  const scenes = [
    sceneOf({ id: 'a' }),
    sceneOf({ id: 'b', visuals: [videoOf({ speed: 2, videoEnd: 2 })] }),
  ]
  const pcm = await heard(t, { scenes }, { [videoSrc]: film })
  t.is(peakIn(pcm, secondsOf(0, 2)), 0)
  t.true(Math.abs(levelOf(pcm, 600, secondsOf(2.1, 2.9)) - 0.4) < 0.03)
  t.is(peakIn(pcm, secondsOf(3, 4)), 0)
})

test('linked clips cross-fade for as long as one replaces the other', async (t) => {
  const [low, high] = await Promise.all(
    [400, 1000].map(async (hz) => filmWith(t, await tone(t, hz))),
  )
  if (!low || !high) return t.fail('two clips')
  const link = { id: 'a', transition: 'fade', transitionDuration: 1, transitionId: 'b' } as const
  const visuals = [
    videoOf({ ...link, field: 'visuals[0]', src: 'low', exitBegin: 2, exitEnd: 2 }),
    videoOf({ id: 'b', field: 'visuals[1]', src: 'high', enterBegin: 2, enterEnd: 2 }),
  ]
  const pcm = await heard(t, { duration: 4, visuals }, { low, high })
  const at = (second: number, hz: number) =>
    levelOf(pcm, hz, secondsOf(second - 0.05, second + 0.05))
  for (const [second, lowGain, highGain] of [
    [1.5, 1, 0],
    [2.25, 0.75, 0.25],
    [2.5, 0.5, 0.5],
    [2.75, 0.25, 0.75],
    [3.5, 0, 1],
  ] as const) {
    t.true(Math.abs(at(second, 400) - lowGain * 0.4) < 0.01, `low at ${second}`)
    t.true(Math.abs(at(second, 1000) - highGain * 0.4) < 0.01, `high at ${second}`)
  }
})

test('a clip with broken sound fails by field and second', async (t) => {
  const film = await filmWith(t, await tone(t, 600))
  const { dir } = await workOf(t)
  const file = join(dir, 'broken')
  await outputOf(
    'ffmpeg',
    '-f',
    'mov',
    '-i',
    film.file,
    '-c:v',
    'copy',
    '-c:a',
    'aac',
    '-f',
    'mp4',
    file,
  )
  const bytes = await readFile(file)
  const mdat = bytes.indexOf('mdat')
  const moov = bytes.indexOf('moov', mdat)
  bytes.fill(0xff, mdat + Math.floor((moov - mdat) / 2), moov - 8)
  await writeFile(file, bytes)
  const visuals = [videoOf({ field: 'visuals[0]' })]
  const error = await t.throwsAsync<FarmError>(
    heard(t, { duration: 6, visuals }, { [videoSrc]: { ...film, file } }),
  )
  t.is(error?.code, 'media_invalid')
  t.is(error?.field, 'visuals[0]')
  const [, second] = /breaks at second (\d+\.\d)/.exec(error?.message ?? '') ?? []
  t.true(Number(second) > 1.5 && Number(second) < 4.5, error?.message)
})
