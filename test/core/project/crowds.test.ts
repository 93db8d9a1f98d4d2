import test from 'ava'
import { plans } from '../../../core/accounts/plans.ts'
import type { FarmError } from '../../../core/errors.ts'
import { makePlan } from '../../../core/plan/make-plan.ts'
import { factsOf, projectOf, videoOf } from '../project-of.ts'
import { faultsOf, image } from './outcome.ts'

const src = 'https://cdn.example.com/a.mp4'
const clip = { type: 'VIDEO', src, width: 100, height: 60 }
/** `count` clips, no two alike. */
const clips = (count: number, more: object = {}) =>
  Array.from({ length: count }, (_, i) => ({ ...clip, x: i, videoBegin: i / 10, ...more }))
const faults = (payload: object) => faultsOf(payload, {}, plans.pro)

const rule = 'At most 25 different clips (VIDEO and GIF) may be visible at the same time.'

test('25 clips may be visible at once, the 26th is refused', (t) => {
  t.deepEqual(faults({ duration: 5, visuals: clips(25) }), [])
  t.deepEqual(faults({ duration: 5, visuals: [image, ...clips(26)] }), [
    `visuals[26]: ${rule} Got 26 at 0 s.`,
  ])
})

test('clips that are gone, or show the same, do not count', (t) => {
  const early = clips(20, { exitEnd: 2 })
  const late = clips(20, { enterBegin: 2 })
  t.deepEqual(faults({ duration: 5, visuals: [...early, ...late] }), [])
  t.deepEqual(faults({ duration: 5, visuals: [...early, ...clips(20, { enterBegin: 1.9 })] }), [
    `visuals[25]: ${rule} Got 40 at 1.9 s.`,
  ])
  t.deepEqual(faults({ duration: 5, visuals: Array(40).fill(clip) }), [])
})

test('GIFs count, and so do overlapping scenes and project elements', (t) => {
  const gifs = Array.from({ length: 13 }, (_, i) => ({
    ...{ type: 'GIF', src: `https://cdn.example.com/${i}.gif` },
  }))
  const scene = { duration: 2, visuals: gifs }
  const lead = { transition: 'fade', transitionDuration: 0.5 }
  const film = {
    scenes: [
      { ...scene, ...lead },
      { ...scene, visuals: clips(13) },
    ],
  }
  t.deepEqual(faults({ scenes: [scene, { ...scene, visuals: clips(13) }] }), [])
  t.deepEqual(faults(film), [`scenes[1].visuals[12]: ${rule} Got 26 at 1.5 s.`])
  t.deepEqual(faults({ scenes: [scene], visuals: clips(13) }), [
    `visuals[12]: ${rule} Got 26 at 0 s.`,
  ])
})

test('only certain clips count while a length is unknown', (t) => {
  const open = { scenes: [{ visuals: clips(26) }] }
  t.deepEqual(faults(open), [`scenes[0].visuals[25]: ${rule} Got 26 at 0 s.`])
  const apart = clips(26).map((each, i) => ({ ...each, enterBegin: i, exitEnd: i + 1 }))
  t.deepEqual(faults({ durationMode: 'auto', visuals: [...apart, { ...clip, videoEnd: 3 }] }), [])
  const gifs = Array.from({ length: 26 }, (_, i) => ({
    ...{ type: 'GIF', src: `https://cdn.example.com/${i}.gif`, enterBegin: 90 },
  }))
  t.deepEqual(faults({ scenes: [{ visuals: [clip, ...gifs] }] }), [])
})

test('a crowd found by the sources’ lengths is refused by the plan', (t) => {
  const visuals = Array.from({ length: 26 }, (_, i) =>
    videoOf({ field: `visuals[${i}]`, videoBegin: i / 100 }),
  )
  const canvas = { backend: 'napi', device: 'CPU' } as const
  const planOf = (count: number) =>
    makePlan({
      project: projectOf({ duration: 2, visuals: visuals.slice(0, count) }),
      ...{ facts: factsOf(), encoder: 'libx264', canvas, sha256: (text) => text },
    })
  t.is(planOf(25).timeline.elements.length, 25)
  const error = t.throws<FarmError>(() => planOf(26))
  t.is(error?.code, 'invalid_project')
  t.is(error?.field, 'visuals[25]')
})
