import test from 'ava'
import { imageOf } from '../../core/project-of.ts'
import { nodeOf, objectsOf, runOn } from './node-of.ts'
import { named, planOf } from './plan-of.ts'

test('a segment that a player waits for is rendered next', async (t) => {
  const objects = await objectsOf(t)
  const moving = imageOf({ width: 80, height: 40, enterAnimation: 'slideleft', enterEnd: 14 })
  const plan = await planOf(t, objects, { duration: 14, visuals: [moving] })
  const indexes = plan.segments.map(({ index }) => index)
  t.true(indexes.length >= 4)
  const written = async (wanted: () => readonly number[]) => {
    const result = await runOn(await nodeOf(t, { lanes: 1 }), objects, {
      ...{ kind: 'render', spec: { segments: indexes, assemble: false }, outputs: named(indexes) },
      wanted,
    })
    t.true(result.outcome.done, JSON.stringify(result.outcome))
    return result.written
  }
  t.is((await written(() => []))[0], 'segment-0', 'a player begins with the first')
  const last = indexes.at(-1) ?? 0
  t.is((await written(() => [last]))[0], `segment-${last}`)
})
