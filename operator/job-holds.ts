import { Type } from 'typebox'
import { FarmError } from '../core/errors.ts'
import { isFinal } from '../core/jobs/jobs.ts'
import type { Db } from '../store/db/database.ts'
import { holdJob, resumeJob } from '../store/db/jobs/hold-job.ts'
import { act } from './act.ts'
import { requireJob } from './find.ts'
import { change } from './operation.ts'
import { JobSchema, Uuid } from './schemas.ts'

type Held = { readonly jobId: string; readonly reason: string }

const summaries = {
  hold: 'Start nothing more of a job; its running tasks finish and its credits stay held',
  pause: 'Hold a job and take its running tasks back, without a failure for node or customer',
  resume: 'Let a held or paused job go on, as if its tasks came now',
} as const

function holding(
  name: 'hold' | 'pause' | 'resume',
  work: (tx: Db, held: Held) => Promise<boolean>,
  rule: string,
) {
  return change({
    ...{ id: `operator${name[0]?.toUpperCase()}${name.slice(1)}Job`, path: `/jobs/:job/${name}` },
    ...{ role: 'operator', params: Type.Object({ job: Uuid }), answer: JobSchema },
    summary: summaries[name],
    async run({ db }, { job: jobId, why }, actor) {
      const { state } = await requireJob(db, jobId)
      await act(db, { what: `jobs ${name}`, subject: jobId, why, actor }, async (tx) => {
        if (await work(tx, { jobId, reason: why })) return
        const seen = name === 'resume' && !isFinal(state) ? 'one that is not held' : state
        throw new FarmError('conflict', `A job to ${name} must ${rule}. Got ${seen}`)
      })
      return await requireJob(db, jobId)
    },
  })
}

const isOpen = 'not have ended'

export const holdJobOperation = holding(
  'hold',
  (tx, held) => holdJob(tx, { ...held, takesBack: false }),
  isOpen,
)
export const pauseJobOperation = holding(
  'pause',
  (tx, held) => holdJob(tx, { ...held, takesBack: true }),
  isOpen,
)
export const resumeJobOperation = holding(
  'resume',
  (tx, { jobId }) => resumeJob(tx, jobId),
  'be held',
)
