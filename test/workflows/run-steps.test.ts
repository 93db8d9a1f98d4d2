import test from 'ava'
import { runSteps } from '../../workflows/activities/run-steps.ts'
import type { Step } from '../../workflows/steps.ts'

/** Steps whose answers have so many characters each, as those of films with hundreds of segments do. */
async function roundOf({ steps, characters }: { steps: number; characters: number }) {
  const answer = { tasks: [], awaited: ['x'.repeat(characters)], whole: false }
  const stage = async () => answer
  const all = Array.from({ length: steps }, (_, nth): Step => {
    return { stage: 'render', of: { accountId: 'account', jobId: `job-${nth}` } }
  })
  const stages = {
    gather: async () => ({ ...answer, unread: false }),
    bakeCaptions: stage,
    render: stage,
    shareSegments: async () => {},
  }
  const others = { areAwaited: async () => false, assemble: stage }
  const settle = async () => ({ endsBulk: false })
  return await runSteps(all, {
    stages: () => ({ ...stages, ...others, settle }),
    fillBulk: async () => ({ open: 1 }),
  })
}

test('steps that answer more than the history may have are to be asked for again', async (t) => {
  t.deepEqual(await roundOf({ steps: 20, characters: 160_000 }), {
    ...{ ends: {}, endsBulk: false, isTooLarge: true },
  })
})

test('few of them, and many short ones, are answered', async (t) => {
  for (const [steps, characters] of [
    [10, 160_000],
    [20, 60_000],
  ] as const) {
    const { ends, isTooLarge } = await roundOf({ steps, characters })
    t.is(Object.keys(ends).length, steps)
    t.is(isTooLarge, undefined)
  }
})
