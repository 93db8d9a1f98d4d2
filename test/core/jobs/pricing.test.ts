import test from 'ava'
import { plans } from '../../../core/accounts/plans.ts'
import { creditsOf, lengthFault, priceAtSubmission } from '../../../core/jobs/pricing.ts'
import { type Facts, mediaKey } from '../../../core/timeline/facts.ts'
import { knownSeconds } from '../../../core/timeline/length.ts'
import { resolved } from '../project/outcome.ts'

/** Width, height, seconds, credits. */
const cases: readonly (readonly [number, number, number, number])[] = [
  [1280, 720, 10, 10],
  [1280, 720, 10.01, 11],
  [1280, 720, 0.1, 1],
  [1280, 720, 4.000000000000001, 4],
  [1920, 1080, 3, 3],
  [1920, 1081, 3, 12],
]

for (const [width, height, seconds, credits] of cases) {
  test(`a video of ${width}x${height} and ${seconds} s costs ${credits}`, (t) => {
    t.is(creditsOf({ type: 'video', width, height }, seconds), credits)
  })
}

test('an image costs one credit, whatever its size', (t) => {
  t.is(creditsOf({ type: 'image', width: 8000, height: 8000 }, 0), 1)
})

test('overlaps of scenes are not paid twice', (t) => {
  const { project } = resolved({
    scenes: [{ duration: 5, transition: 'fade', transitionDuration: 2 }, { duration: 5 }],
  })
  t.deepEqual(priceAtSubmission(project, plans.free), {
    ...{ credits: 8, creditsMost: 8, seconds: 8, exact: true },
  })
})

const sound = { src: 'https://cdn.example.com/a.mp3' }

test('a scene of unknown length holds one credit and names the maximum', (t) => {
  const { project } = resolved({ scenes: [{ audios: [sound] }] })
  const price = { credits: 1, creditsMost: 300, seconds: 0.1, exact: false }
  t.deepEqual(priceAtSubmission(project, plans.free), price)
})

test('scenes of a written length are held, whatever the unknown ones add', (t) => {
  const scenes = [{ duration: 5 }, { duration: -1, audios: [sound] }, { duration: 2.5 }]
  const { project } = resolved({ width: 3840, height: 2160, scenes }, {}, plans.studio)
  t.like(priceAtSubmission(project, plans.studio), { credits: 32, seconds: 7.5, exact: false })
})

test('a sound whose end is given leaves nothing open', (t) => {
  const ended = [
    { ...sound, exit: 7 },
    { ...sound, matchDuration: true },
  ]
  const { project } = resolved({ scenes: [{ audios: ended }] })
  t.deepEqual(priceAtSubmission(project, plans.free), {
    ...{ credits: 7, creditsMost: 7, seconds: 7, exact: true },
  })
})

test('an automatic length follows the project’s sound, a legacy one does not', (t) => {
  const auto = resolved({ durationMode: 'auto', audios: [sound] }).project
  t.false(priceAtSubmission(auto, plans.free).exact)
  const legacy = resolved({ audios: [sound] }).project
  t.deepEqual(priceAtSubmission(legacy, plans.free), {
    ...{ credits: 10, creditsMost: 10, seconds: 10, exact: true },
  })
})

test('an automatic length follows captions, once their file has been read', (t) => {
  const captions = [{ start: 2, end: 12.5, text: 'a' }]
  const own = resolved({ durationMode: 'auto', subtitle: { captions } }).project
  t.deepEqual(priceAtSubmission(own, plans.free), {
    ...{ credits: 13, creditsMost: 13, seconds: 12.5, exact: true },
  })
  const src = 'https://example.com/a.srt'
  const { project } = resolved({ durationMode: 'auto', subtitle: { src } })
  t.false(priceAtSubmission(project, plans.free).exact)
  const file = { digest: '', facts: { kind: 'subtitle', format: 'srt', captions } } as const
  const media = new Map([[mediaKey({ expect: 'subtitle', url: src }), file]])
  t.is(knownSeconds(project, { media, bakes: new Map() }), 12.5)
})

test('a sound too long for the plan is a fault once probed', (t) => {
  const { project } = resolved({ scenes: [{ audios: [sound] }] })
  t.is(lengthFault(project, plans.free), undefined)
  const media: Facts['media'] = new Map([
    [
      mediaKey({ expect: 'audio', url: sound.src }),
      {
        digest: '0'.repeat(64),
        facts: { kind: 'audio', format: 'mp3', duration: 301, sampleRate: 48_000, channels: 2 },
      },
    ],
  ])
  const fault = lengthFault(project, plans.free, { media, bakes: new Map() })
  t.is(fault?.code, 'plan_limit')
  t.regex(fault?.message ?? '', /must be <= 300 s long on this plan\. Got 301/)
})
