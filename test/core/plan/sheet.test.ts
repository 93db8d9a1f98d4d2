import test from 'ava'
import { clearestMoments, frameSize, layOut, momentsAt } from '../../../core/plan/sheet.ts'
import { makeTimeline } from '../../../core/timeline/timeline.ts'
import { imageOf, projectOf, sceneOf } from '../project-of.ts'

const facts = { media: new Map(), bakes: new Map() }
const film = { frames: 60, frameRate: 30 }

test('a time shows the film’s frame then, the end its last frame', (t) => {
  t.deepEqual(momentsAt(film, [0, 0.1, 1.999, 2]), [
    { seconds: 0, frame: 0 },
    { seconds: 0.1, frame: 3 },
    { seconds: 1.999, frame: 59 },
    { seconds: 2, frame: 59 },
  ])
})

test('the first time beyond the end is named', (t) => {
  t.deepEqual(momentsAt(film, [1, 2.01, 3]), { beyond: 1 })
})

const scenesOf = (durations: readonly number[]) =>
  projectOf({
    scenes: durations.map((duration, n) =>
      sceneOf({ field: `scenes[${n}]`, id: `s${n}`, duration, backgroundColor: '#102030' }),
    ),
  })

test('every scene has a moment, and the longest has the spare ones', (t) => {
  const timeline = makeTimeline(scenesOf([1, 4, 0.5]), facts)
  const seconds = clearestMoments(timeline, 6).map((moment) => moment.seconds)
  t.deepEqual(
    seconds.map((second) => (second < 1 ? 0 : second < 5 ? 1 : 2)),
    [0, 1, 1, 1, 1, 2],
  )
})

test('a film of more scenes than moments is divided evenly', (t) => {
  const timeline = makeTimeline(scenesOf([1, 1, 1, 1, 1, 1, 1, 1]), facts)
  const frames = clearestMoments(timeline, 4).map((moment) => moment.frame)
  t.deepEqual(
    frames,
    [30, 90, 150, 210].map((frame) => (frame * timeline.frameRate) / 30),
  )
})

test('a film of three frames has three moments', (t) => {
  const timeline = makeTimeline(projectOf({ duration: 0.1, frameRate: 30 }), facts)
  t.deepEqual(
    clearestMoments(timeline, 6).map(({ frame }) => frame),
    [0, 1, 2],
  )
})

test('a moment avoids an element that has not come yet', (t) => {
  const src = 'https://example.com/late.png'
  const image = { kind: 'image', format: 'png', width: 40, height: 20, hasAlpha: false } as const
  const media = new Map([[`image ${src}`, { digest: 'a'.repeat(64), facts: image }]])
  const late = imageOf({ src, enterBegin: 0.75, enterEnd: 0.75 })
  const project = projectOf({ duration: 1, frameRate: 30, visuals: [late] })
  const timeline = makeTimeline(project, { media, bakes: new Map() })
  const [moment] = clearestMoments(timeline, 1)
  t.true((moment?.seconds ?? 0) >= 0.75, JSON.stringify(moment))
})

const usual = { usualSide: 320, side: 480, share: 0.5 }

test('a frame never exceeds half the film’s size or 480 px', (t) => {
  const wide = { width: 1920, height: 1080 }
  const tall = { width: 1080, height: 1920 }
  t.deepEqual(frameSize(wide, usual), { width: 320, height: 180 })
  t.deepEqual(frameSize(tall, usual), { width: 180, height: 320 })
  t.deepEqual(frameSize(tall, { ...usual, width: 480 }), { width: 270, height: 480 })
  t.deepEqual(frameSize({ width: 100, height: 50 }, { ...usual, width: 480 }), {
    ...{ width: 50, height: 25 },
  })
  t.deepEqual(frameSize({ width: 64, height: 64 }, { ...usual, width: 64 }), {
    ...{ width: 32, height: 32 },
  })
  t.deepEqual(frameSize({ width: 1, height: 1 }, usual), { width: 1, height: 1 })
  t.deepEqual(frameSize({ width: 4000, height: 2 }, usual), { width: 320, height: 1 })
})

test('a frame has at most half of each side of any film', (t) => {
  for (let width = 2; width < 1200; width += 37) {
    for (let height = 2; height < 1200; height += 41) {
      for (const wanted of [undefined, 64, 301, 480]) {
        const frame = frameSize({ width, height }, { ...usual, width: wanted })
        const text = JSON.stringify({ width, height, wanted, frame })
        t.true(2 * frame.width <= width && 2 * frame.height <= height, text)
      }
    }
  }
})

test('frames stand apart in full rows, with room for their times', (t) => {
  for (let count = 1; count <= 12; count += 1) {
    for (const frame of [
      { width: 320, height: 180 },
      { width: 180, height: 320 },
    ]) {
      const { places, width, height, columns, rows } = layOut(frame, { count, hasTimes: true })
      t.is(places.length, count)
      t.true(columns * rows >= count && columns * (rows - 1) < count)
      for (const [i, { x, y }] of places.entries()) {
        t.true(x + frame.width < width && y + frame.height + 20 < height)
        const others = places.filter((_, at) => at !== i)
        const overlaps = others.some(
          (other) => Math.abs(other.x - x) < frame.width && Math.abs(other.y - y) < frame.height,
        )
        t.false(overlaps, `${count}`)
      }
    }
  }
  t.is(layOut({ width: 320, height: 180 }, { count: 6, hasTimes: true }).columns, 3)
})

test('a still is the whole sheet', (t) => {
  const { width, height, places } = layOut(
    { width: 320, height: 200 },
    { count: 1, hasTimes: false },
  )
  t.deepEqual({ width, height, places }, { width: 320, height: 200, places: [{ x: 0, y: 0 }] })
})
