import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import { type PlanLimits, plans } from '../../../core/accounts/plans.ts'
import { knownLengths } from '../../../core/project/lengths.ts'
import { readRequest } from '../../../core/project/read.ts'
import { type Resolution, resolveRequest } from '../../../core/project/resolve.ts'
import type { ResolvedAudio, ResolvedProject } from '../../../core/project/resolved.ts'
import { RenderPayload } from '../../../core/project/schema/project.ts'
import { RenderOverrides, RenderRequest } from '../../../core/project/schema/request.ts'
import type { ResolvedVisual } from '../../../core/visuals/resolved.ts'
import { arbitraryOf } from './schema-arbitrary.ts'

const names = ['a', 'b', 'c']
const value = fc.oneof(
  fc.integer({ min: 1, max: 100 }),
  fc.integer({ min: 2, max: 9 }),
  fc.constantFrom('x', '#fff', true, false, 0, '', null, '{'),
  fc.constantFrom('{{b}}', 'with {{c}}', '{{a.0}}'),
  fc.array(fc.constantFrom(1, 'two', { n: 3 }), { maxLength: 3 }),
)
const variables = fc.dictionary(fc.constantFrom(...names), value)
const condition = fc.constantFrom(true, 1, '{{a}}', '{{b}}', '{{item}}', '{{none}}')
const text = fc.constantFrom('plain', 'a {{a}}', '{{b}} and {{c}}', 'of {{a.0}}', '{{{a}}c}}')

const visual = fc.record(
  {
    type: fc.constant('text'),
    html: text,
    x: fc.oneof(fc.integer({ min: -50, max: 50 }), fc.constant('{{c}}')),
    enterEnd: fc.constantFrom(0, 1, '{{c}}'),
    condition,
  },
  { requiredKeys: ['type', 'html'] },
)
const visuals = fc.array(visual, { maxLength: 3 })

const scene = fc.record(
  {
    id: fc.constantFrom('one', 'two', 'three', 'four', 's-{{b}}'),
    duration: fc.constantFrom(-1, 1, 2.5),
    transition: fc.constantFrom('fade', null),
    transitionId: fc.constantFrom('one', 'none'),
    iterate: fc.constantFrom('a', '{{b}}'),
    variables,
    condition,
    visuals,
  },
  { requiredKeys: [] },
)

const request = fc.record(
  {
    payload: fc.record(
      {
        variables,
        visuals,
        scenes: fc.array(scene, { maxLength: 4 }),
        width: fc.constant('{{a}}'),
      },
      { requiredKeys: [] },
    ),
    variables: fc.record({ a: value, b: value, c: value }, { requiredKeys: ['a', 'b', 'c'] }),
    overrides: fc.record(
      { width: fc.integer({ min: 1, max: 99 }), resolution: fc.constantFrom('sd', 'custom') },
      { requiredKeys: [] },
    ),
  },
  { requiredKeys: ['payload'] },
)

/** Six deviations below the number of bodies that resolve, which is 66 to 77 with one of 8 to 9. */
const fewest = 20

/** Resolves the answered payload again as a request. */
function again({ payload }: Resolution, plan: PlanLimits): Resolution {
  const read = readRequest({ payload: JSON.parse(JSON.stringify(payload)) })
  if ('faults' in read) throw new Error(JSON.stringify(read.faults))
  const second = resolveRequest(read.request, plan)
  if ('faults' in second) throw new Error(JSON.stringify(second.faults))
  return second
}

/**
 * Reduces a project to its meaning: written-out default times equal omitted ones. Places in the
 * request are left out, because clones change them.
 */
function meaning(project: ResolvedProject): unknown {
  const { film = -1, scenes } = knownLengths(project)
  const timed = (visuals: readonly ResolvedVisual[], end = -1) =>
    visuals.map((visual) => ({ exitBegin: end, exitEnd: end, ...visual, field: '' }))
  const unplaced = (audios: readonly ResolvedAudio[]) =>
    audios.map((audio) => ({ ...audio, field: '' }))
  return {
    ...{ ...project, duration: film },
    visuals: timed(project.visuals, film),
    audios: unplaced(project.audios),
    scenes: project.scenes.map((scene, i) => ({
      ...{ ...scene, duration: scenes[i], field: '' },
      visuals: timed(scene.visuals, scenes[i]),
      audios: unplaced(scene.audios),
    })),
  }
}

/** Checks that the resolved payload resolves to itself, with the same meaning. */
function isSettled(t: ExecutionContext, first: Resolution, plan: PlanLimits) {
  const second = again(first, plan)
  t.deepEqual(second.payload, JSON.parse(JSON.stringify(first.payload)))
  t.deepEqual(meaning(second.project), meaning(first.project))
}

test('resolving is deterministic and leaves the request as it was', (t) => {
  const property = fc.property(request, (body) => {
    const before = structuredClone(body)
    const read = readRequest(body)
    if ('faults' in read) throw new Error(JSON.stringify(read.faults))
    const first = resolveRequest(read.request, plans.free)
    t.deepEqual(resolveRequest(read.request, plans.free), first)
    t.deepEqual(body, before)
  })
  fc.assert(property, { numRuns: 300 })
})

test('resolving what has been resolved changes nothing', (t) => {
  let resolvedOnes = 0
  const property = fc.property(request, (body) => {
    const read = readRequest(body)
    if ('faults' in read) throw new Error(JSON.stringify(read.faults))
    const first = resolveRequest(read.request, plans.free)
    if ('faults' in first) return
    resolvedOnes++
    isSettled(t, first, plans.free)
  })
  fc.assert(property, { numRuns: 500 })
  t.true(resolvedOnes > fewest, String(resolvedOnes))
})

test('every field of the language, and overrides, keep these properties', (t) => {
  // An override may have any name, unlike the project itself.
  const overrides = arbitraryOf(RenderOverrides as never).map((value) =>
    typeof value === 'object' && value !== null ? { ...value, name: undefined } : undefined,
  )
  const payload = arbitraryOf(RenderPayload as never)
  let resolvedOnes = 0
  const property = fc.property(payload, fc.option(overrides), (body, override) => {
    const read = readRequest({ payload: body, ...(override && { overrides: known(override) }) })
    if ('faults' in read) return
    const first = resolveRequest(read.request, plans.studio)
    if ('faults' in first) return
    resolvedOnes++
    isSettled(t, first, plans.studio)
  })
  fc.assert(property, { numRuns: 1000 })
  t.true(resolvedOnes > fewest, String(resolvedOnes))
})

/** Removes undefined values, as JSON does. */
function known(value: object): unknown {
  return JSON.parse(JSON.stringify(value))
}

test('no body makes the language throw', (t) => {
  const schema = arbitraryOf(RenderRequest as never)
  const property = fc.property(fc.oneof(schema, fc.jsonValue(), fc.anything()), (body) => {
    const read = readRequest(body)
    if ('request' in read) resolveRequest(read.request, plans.free)
  })
  t.notThrows(() => fc.assert(property, { numRuns: 400 }))
})
