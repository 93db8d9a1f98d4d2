import test from 'ava'
import { audioClips } from '../../../core/plan/audio.ts'
import { describeFrame } from '../../../core/timeline/frame.ts'
import { makeTimeline } from '../../../core/timeline/timeline.ts'
import type { ResolvedVideo } from '../../../core/visuals/video/resolved.ts'
import { factsOf, projectOf, videoOf } from '../project-of.ts'

/** Facts of `factsOf` whose clip (3 s at 30 frames a second) has sound. */
function heardFacts() {
  const { media, bakes } = factsOf()
  const heard = [...media].map(
    ([key, { digest, facts }]) =>
      [
        key,
        { digest, facts: facts.kind === 'video' ? { ...facts, hasAudio: true } : facts },
      ] as const,
  )
  return { bakes, media: new Map(heard) }
}

/** Two clips, the first of which leads into the second at second 1, for 0.5 s; 10 frames a second. */
function planOf(first: Partial<ResolvedVideo>) {
  const times = { enterBegin: 1, enterEnd: 1, exitBegin: 4, exitEnd: 4 }
  const link = { transition: 'fade', transitionId: 'b', transitionDuration: 0.5 }
  const visuals = [
    videoOf({ field: 'a', exitBegin: 1, exitEnd: 1, ...link, ...first }),
    videoOf({ field: 'b', id: 'b', ...times }),
  ]
  const project = projectOf({ duration: 4, visuals })
  const facts = heardFacts()
  const timeline = makeTimeline(project, facts)
  const [a, b] = audioClips(project, { timeline, facts })
  const pictures = [9, 10, 12, 14].map((n) => JSON.stringify(describeFrame(timeline, n).commands))
  const frames = pictures.map((text) => Number(/"frame":(\d+)/.exec(text)?.[1]))
  return { a, b, frames }
}

const second = 48_000
const fade = { at: second, length: second / 2 }

for (const [how, trim] of [
  ['not trimmed', {}],
  ['trimmed to where the other begins', { videoEnd: 1 }],
  ['played for as long', { videoDuration: 1 }],
] as const) {
  test(`a clip back-to-back with another, ${how}, plays until the link ends`, (t) => {
    const { a, b, frames } = planOf(trim)
    t.like(a, { at: 0, from: 0, length: 1.5 * second, fades: [{ way: 'out', ...fade }] })
    t.like(b, { at: second, fades: [{ way: 'in', ...fade }] })
    t.deepEqual(frames, [27, 30, 36, 42])
  })
}

test('a trimmed clip at another speed plays on while its source lasts', (t) => {
  const { a, frames } = planOf({ videoBegin: 0.5, videoEnd: 2.5, speed: 2 })
  t.like(a, { from: second / 2, length: 1.25 * second })
  t.deepEqual(frames, [69, 75, 87, 89])
})

test('a clip that holds its last frame stays silent through the link', (t) => {
  const { a, frames } = planOf({ videoEnd: 0.8 })
  t.like(a, { length: 0.8 * second, fades: [] })
  t.deepEqual(frames, [23, 23, 23, 23])
})
