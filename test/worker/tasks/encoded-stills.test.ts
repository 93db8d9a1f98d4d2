import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import { imageOf } from '../../core/project-of.ts'
import { outputOf, workOf } from '../encode/film-of.ts'
import { nodeOf, objectsOf, runOn } from './node-of.ts'
import { named, planOf } from './plan-of.ts'

const picture = imageOf({ x: 20, y: 10, width: 80, height: 40 })

test('a motionless film is rendered once and joined from one repeated segment', async (t) => {
  const objects = await objectsOf(t)
  const plan = await planOf(t, objects, {
    duration: 9,
    visuals: [picture],
  })
  const prints = plan.segments.map(({ fingerprint }) => fingerprint)
  t.true(prints.length > new Set(prints).size)
  const fresh = plan.segments.filter(({ fingerprint }, i) => prints.indexOf(fingerprint) === i)
  const node = await nodeOf(t)
  const { outcome } = await runOn(node, objects, {
    kind: 'render',
    spec: { segments: fresh.map(({ index }) => index), assemble: true },
    outputs: [...named(fresh.map(({ index }) => index)), 'output', 'thumbnail'],
  })
  t.true(outcome.done, JSON.stringify(outcome))
  const { dir } = await workOf(t)
  const film = join(dir, 'film')
  await writeFile(film, objects.objects.get('output') ?? '')
  const listed = String(await outputOf('ffmpeg', '-i', film, '-f', 'framemd5', '-'))
  const frames = listed.split('\n').filter((line) => line.startsWith('0,'))
  t.is(frames.length, plan.timeline.frames)
  const last = frames.slice(12, plan.segments[0]?.frames).map((line) => line.split(',').at(-1))
  t.is(new Set(last).size, 1)
})

test('equal still segments are encoded once with the same bytes', async (t) => {
  const objects = await objectsOf(t)
  const plan = await planOf(t, objects, { duration: 9.1, visuals: [picture] })
  const lengths = plan.segments.map(({ frames }) => frames)
  const kinds = [...new Set(lengths)].map((length) => lengths.indexOf(length))
  t.is(kinds.length, 2)
  const rendered = async (indexes: readonly number[], prefix: string) => {
    const setting = await nodeOf(t, { lanes: 2 })
    const { node } = setting
    const { outcome } = await runOn(setting, objects, {
      kind: 'render',
      spec: { segments: [...indexes], assemble: false },
      outputs: named(indexes),
      prefix,
    })
    t.true(outcome.done, JSON.stringify(outcome))
    const counted = await node.metrics.registry.getSingleMetric('farm_frames_rendered_total')?.get()
    return counted?.values.find(({ labels }) => labels.how === 'painted')?.value
  }
  t.is(await rendered(kinds, 'together-'), 1)
  for (const index of kinds) {
    await rendered([index], 'alone-')
    const alone = objects.objects.get(`alone-segment-${index}`)
    t.true(alone && objects.objects.get(`together-segment-${index}`)?.equals(alone))
  }
})
