import test from 'ava'
import type { Step } from '../../../workflows/definitions/steps.ts'
import { runSteps } from '../../../workflows/stages/run-steps.ts'
import type { Stages } from '../../../workflows/stages/stage-types.ts'

function stagesThatAnswer(segment: string): Stages {
  const fingerprints = [segment]
  const stage = async () =>
    ({ wait: 'segments', tasks: [], fingerprints, resume: 'render' }) as const
  return {
    ...{ prepareInputs: stage, bakeCaptions: stage, render: stage, assemble: stage },
    shareSegments: async () => {},
    areAwaited: async () => false,
    settle: async () => ({ endsBulk: false }),
  }
}

/** Runs steps with answers of `characters` each, like those of long films. */
async function batchOf({ steps, characters }: { steps: number; characters: number }) {
  const all = Array.from({ length: steps }, (_, nth): Step => {
    return { stage: 'render', of: { accountId: 'account', jobId: `job-${nth}` } }
  })
  return await runSteps(all, {
    stages: () => stagesThatAnswer('x'.repeat(characters)),
    fillBulk: async () => ({ open: 1 }),
  })
}

test('a batch with too large answers is to be repeated', async (t) => {
  t.deepEqual(await batchOf({ steps: 20, characters: 160_000 }), {
    ...{ ends: {}, endsBulk: false, isTooLarge: true },
  })
})

test('few of them, and many short ones, are answered', async (t) => {
  for (const [steps, characters] of [
    [10, 160_000],
    [20, 60_000],
  ] as const) {
    const { ends, isTooLarge } = await batchOf({ steps, characters })
    t.is(Object.keys(ends).length, steps)
    t.is(isTooLarge, undefined)
  }
})

test('an empty answer differs from a step to be retried', async (t) => {
  const { ends } = await runSteps(
    [{ stage: 'shareSegments', of: { accountId: 'account', jobId: 'job' } }],
    { stages: () => stagesThatAnswer(''), fillBulk: async () => ({ open: 1 }) },
  )
  t.deepEqual(JSON.parse(JSON.stringify(ends)), { job: { answer: null } })
})
