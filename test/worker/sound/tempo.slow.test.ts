import { join } from 'node:path'
import test from 'ava'
import { workOf, writeWav } from '../encode/film-of.ts'
import { left, mixOf, toneAt } from './mix-of.ts'

/** Adds clicks, 9 in 6 s, to the given background. */
const clickSeconds = [0.1, 0.5, 0.93, 1.4177, 2, 2.713, 3.33, 4.1, 5.05]
const clicksOn = (ground: (i: number) => number) => (i: number) => {
  const since = Math.min(
    ...clickSeconds.map((s) => i - Math.floor(s * 48_000)).filter((n) => n >= 0),
  )
  const click = since < 240 ? 0.8 * Math.exp(-since / 60) * Math.cos((Math.PI * since) / 12) : 0
  return ground(i) + click
}

/** The sample near `due` at which it becomes loud. */
function onsetNear(pcm: Float32Array, due: number): number {
  for (let i = Math.max(0, Math.round(due) - 1_200); i < due + 1_200; i += 1) {
    if (Math.abs(left(pcm, i)) > 0.4) return i
  }
  return Number.NaN
}

let noise = 1
const randomly = () => {
  noise = (noise * 1_103_515_245 + 12_345) % 2 ** 31
  return noise / 2 ** 31 - 0.5
}

for (const [ground, valueAt] of [
  ['silence', () => 0],
  ['a tone', (i: number) => toneAt(i) * 0.1],
  ['noise', () => randomly() * 0.06],
] as const) {
  for (const speed of [0.5, 0.8, 1.25, 2, 4]) {
    test(`clicks at speed ${speed} on ${ground} stay within a millisecond`, async (t) => {
      const { dir } = await workOf(t)
      const samples = 288_000
      const file = await writeWav(join(dir, 'clicks'), { samples }, clicksOn(valueAt))
      const length = Math.floor(samples / speed)
      const pcm = await mixOf(t, [{ file, length, speed }], length + 100)
      for (const second of clickSeconds) {
        const due = Math.floor(second * 48_000) / speed
        const away = onsetNear(pcm, due) - due
        t.true(Math.abs(away) <= 48, `${second} s: ${away} samples away`)
      }
      let loud = 0
      for (let i = 0, last = -5_000; i < length; i += 1) {
        if (Math.abs(left(pcm, i)) < 0.4) continue
        if (i - last > 480) loud += 1
        last = i
      }
      t.is(loud, clickSeconds.length)
    })
  }
}

for (const speed of [0.25, 0.5, 1.25, 2, 4]) {
  test(`tones at speed ${speed} keep their level to the last sample`, async (t) => {
    const { dir } = await workOf(t)
    for (const low of [55, 110, 1_000]) {
      const wave = (i: number) => Math.sin((2 * Math.PI * low * i) / 48_000) / 2
      const file = await writeWav(join(dir, `tone-${low}`), { samples: 96_000 }, wave)
      const length = Math.floor(96_000 / speed)
      const pcm = await mixOf(t, [{ file, length, speed }], length + 4_800)
      for (let at = 0; at + 1_200 <= length; at += 1_200) {
        const peak = pcm.subarray(at * 2, (at + 1_200) * 2).reduce((a, b) => Math.max(a, b), 0)
        t.true(Math.abs(peak - 0.5) < 0.05, `${low} Hz at ${at}: ${peak}`)
      }
      const after = pcm.subarray(length * 2)
      t.true(after.every((value) => value === 0))
    }
  })
}
