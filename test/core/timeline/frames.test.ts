import test from 'ava'
import { filmFrames } from '../../../core/timeline/length.ts'
import { makeTimeline } from '../../../core/timeline/timeline.ts'
import { createRandom } from '../../chaos/random.ts'
import { factsOf, imageOf, projectOf, sceneOf } from '../project-of.ts'

/** `FARM_TEST_SEED` repeats a run. */
const seed = Number(process.env.FARM_TEST_SEED ?? Math.floor(Math.random() * 2 ** 32))

test('the length that players get first is that of the timeline', (t) => {
  t.log(`FARM_TEST_SEED=${seed}`)
  const random = createRandom(seed)
  for (let film = 0; film < 500; film += 1) {
    const scenes = Array.from({ length: Math.floor(random.between(0, 9)) }, (_, n) =>
      sceneOf({
        ...{ field: `scenes[${n}]`, id: `scene-${n}` },
        duration: Math.round(random.between(0.1, 3) * 1000) / 1000,
        ...(random.chance(0.5) && { transition: 'fade', transitionDuration: random.between(0, 2) }),
      }),
    )
    const project = projectOf({
      ...{ scenes, frameRate: random.pick([1, 12, 24, 25, 30, 60]) },
      durationMode: random.pick(['auto', 'fixed', 'legacy']),
      ...(random.chance(0.5) && { duration: random.between(0.1, 5) }),
      visuals: random.chance(0.5) ? [imageOf({ exitEnd: random.between(0, 6) })] : [],
    })
    const facts = factsOf()
    t.is(filmFrames(project, facts), makeTimeline(project, facts).frames)
  }
})
