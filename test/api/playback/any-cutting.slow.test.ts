import test, { type ExecutionContext } from 'ava'
import {
  hasSoundTrack,
  keyFramesOf,
  picturesInit,
  picturesPiece,
  soundInit,
  soundPiece,
} from '../../../api/playback/cut-pieces.ts'
import { type Mp4File, openLargeMp4, openSmallMp4 } from '../../../api/playback/mp4-file.ts'
import { fingerprintText, runPrints } from '../../../core/plan/fingerprint.ts'
import { piecesOf } from '../../../core/plan/pieces.ts'
import type { Plan } from '../../../core/plan/plan.ts'
import { encodedFramesOf, type FrameRange, runsWithin } from '../../../core/plan/runs.ts'
import type { ResolvedProject } from '../../../core/project/resolved.ts'
import { sha256 } from '../../../runtime/sha256.ts'
import { createRandom, type Random } from '../../chaos/random.ts'
import { audioOf, imageOf, sceneOf } from '../../core/project-of.ts'
import { framesOf, soundsAlike } from '../../farm/played.ts'
import { nodeOf, type Objects, objectsOf, runOn } from '../../worker/tasks/node-of.ts'
import { named, planOf } from '../../worker/tasks/plan-of.ts'

/** `FARM_TEST_SEED` repeats a run. */
const seed = Number(process.env.FARM_TEST_SEED ?? Math.floor(Math.random() * 2 ** 32))
const films = 6

/** Scenes that move, stand, fade and repeat, of any size, rate and length, silent or not. */
function randomFilm(random: Random): Partial<ResolvedProject> {
  const frameRate = random.pick([1, 5, 12, 24, 25, 30, 50, 60])
  const scenes = Array.from({ length: random.pick([1, 2, 3, 4]) }, (_, n) =>
    sceneOf({
      ...{ field: `scenes[${n}]`, id: `scene-${n}`, duration: random.between(0.4, 3) },
      backgroundColor: random.pick(['#803020', '#208030', '#303080']),
      ...(random.chance(0.5) && { transition: 'fade', transitionDuration: 0.3 }),
      visuals: random.chance(0.6)
        ? [imageOf({ width: 80, height: 40, zoomDepth: random.pick([1, 1.5, 2]) })]
        : [],
    }),
  )
  const audio = () =>
    audioOf({ enter: random.between(0, 1), speed: random.pick([1, 1.25]), volume: 0.8 })
  const width = Math.floor(random.between(100, 200))
  const height = Math.floor(random.between(50, 120))
  return { width, height, frameRate, scenes, audios: random.chance(0.75) ? [audio()] : [] }
}

/** Ranges of 1 frame to 3 seconds that cover the film. */
function randomCuts({ frames, frameRate }: Plan['timeline'], random: Random): FrameRange[] {
  const ranges: FrameRange[] = []
  for (let start = 0; start < frames; ) {
    const longest = random.pick([1, 2, frameRate, 3 * frameRate])
    const length = Math.min(frames - start, Math.floor(random.between(1, longest + 1)))
    ranges.push({ start, frames: length })
    start += length
  }
  return ranges
}

/** The same plan, cut elsewhere. */
function cutAnew(plan: Plan, random: Random): Plan {
  const { timeline, encoder } = plan
  const all = [...runPrints(timeline, sha256)]
  const segments = randomCuts(timeline, random).map((range, index) => {
    const runs = runsWithin(all, range)
    const coding = { frameRate: timeline.frameRate, encoder }
    return {
      ...{ index, ...range, pictures: runs.length },
      encoded: runs.reduce((sum, run) => sum + encodedFramesOf(run, coding), 0),
      fingerprint: sha256(fingerprintText(timeline, runs, plan)),
      pixels: [...new Set(runs.flatMap((run) => [...run.pixels]))].sort(),
    }
  })
  return { ...plan, segments }
}

/** Renders the film, in shards that are drawn at random. */
async function rendered(t: ExecutionContext, objects: Objects, plan: Plan, random: Random) {
  const node = await nodeOf(t)
  const hasSound = plan.audio.length > 0
  const left = random.shuffled(plan.segments.map(({ index }) => index))
  for (let isFirst = true; left.length > 0; isFirst = false) {
    const segments = left.splice(0, Math.floor(random.between(1, left.length + 1)))
    const { outcome } = await runOn(node, objects, {
      kind: 'render',
      spec: { segments, assemble: false, sound: isFirst && hasSound },
      outputs: [...named(segments), ...(isFirst && hasSound ? ['sound'] : [])],
    })
    t.true(outcome.done, JSON.stringify(outcome))
  }
  const spec = { sound: hasSound }
  const outputs = ['output', 'thumbnail']
  const { outcome } = await runOn(node, objects, { kind: 'assemble', spec, outputs })
  t.true(outcome.done, JSON.stringify(outcome))
  return objects.objects.get('output') ?? Buffer.alloc(0)
}

/** Reads objects of the test's store as the api does. */
function storeOf({ objects }: Objects) {
  const read = async (key: string) => objects.get(key) ?? Buffer.alloc(0)
  return {
    read,
    readRange: async (key: string, { from, bytes }: { from: number; bytes: number }) =>
      (await read(key)).subarray(from, from + bytes),
  }
}

/** Both tracks as a player gets them, pictures by `stretches` of each piece. */
async function played(
  plan: Plan,
  {
    stretches,
    sound,
  }: {
    stretches: (
      piece: FrameRange & { segments: readonly number[] },
    ) => Promise<{ file: Mp4File; from: number; frames: number }[]>
    sound: Mp4File | undefined
  },
) {
  const { width, height, frameRate } = plan.timeline
  const pieces = piecesOf(plan.segments, frameRate)
  const pictures: Buffer[] = []
  const sounds: Buffer[] = sound ? [soundInit(sound)] : []
  for (const [number, piece] of pieces.entries()) {
    const parts = await stretches(piece)
    const [first] = parts
    if (number === 0 && first) {
      pictures.push(picturesInit(first.file, { width, height, frameRate }))
    }
    pictures.push(await picturesPiece({ number, start: piece.start, frameRate }, parts))
    if (sound) {
      const isLast = number === pieces.length - 1
      const to = isLast ? Number.POSITIVE_INFINITY : (piece.start + piece.frames) / frameRate
      sounds.push(await soundPiece({ number, from: piece.start / frameRate, to }, sound))
    }
  }
  return { pictures: Buffer.concat(pictures), sound: Buffer.concat(sounds) }
}

for (let film = 0; film < films; film += 1) {
  test(`random film ${film + 1} plays as its file under any cutting`, async (t) => {
    const random = createRandom(seed + film)
    t.log(`FARM_TEST_SEED=${seed}`)
    const objects = await objectsOf(t)
    const plan = cutAnew(await planOf(t, objects, randomFilm(random)), random)
    objects.objects.set('plan', Buffer.from(JSON.stringify(plan)))
    const file = await rendered(t, objects, plan, random)
    const store = storeOf(objects)

    const segmentsOf = async ({ segments }: { segments: readonly number[] }) =>
      await Promise.all(
        segments.map(async (index) => {
          const opened = await openSmallMp4(store, `segment-${index}`)
          return { file: opened, from: 0, frames: keyFramesOf(opened).frames }
        }),
      )
    const hasSound = plan.audio.length > 0
    const sound = hasSound ? await openSmallMp4(store, 'sound') : undefined
    const live = await played(plan, { stretches: segmentsOf, sound })
    const whole = await openLargeMp4(store, 'output')
    const after = await played(plan, {
      stretches: async ({ start, frames }) => [{ file: whole, from: start, frames }],
      sound: hasSound ? whole : undefined,
    })

    const frames = await framesOf(file)
    t.is(frames.length, plan.timeline.frames)
    t.deepEqual(await framesOf(live.pictures), frames)
    t.true(after.pictures.equals(live.pictures), 'the same pieces from the file')
    t.is(hasSoundTrack(whole), hasSound)
    if (!hasSound) return
    t.true(await soundsAlike(live.sound, file))
    t.true(after.sound.equals(live.sound))
  })
}
