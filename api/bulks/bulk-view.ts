import { Type } from 'typebox'
import { bulkProgress, isFinal, type JobState, jobStates } from '../../core/jobs/jobs.ts'
import { maxWarnings } from '../../core/project/lint/warning.ts'
import type { BulkView } from '../../store/db/bulks/get-bulk.ts'
import type { NewBulkJob } from '../../store/db/bulks/insert-bulk-with-hold.ts'
import type { RefusedItem } from '../../store/db/schema.ts'
import { Detail, showFaults } from '../gateway/problem.ts'
import { showWarnings, WarningView } from '../jobs/job-view.ts'

export const ItemErrors = Type.Array(
  Type.Object({ index: Type.Integer({ minimum: 0 }), details: Type.Array(Detail) }),
)

export const BulkWarnings = Type.Array(
  Type.Object({
    ...WarningView.properties,
    items: Type.Integer({
      minimum: 1,
      description:
        'Number of accepted items with this warning; `pointer` refers to the first of them',
    }),
  }),
)

const counts = Object.fromEntries(jobStates.map((state) => [state, Type.Integer()]))

const bulkProperties = {
  id: Type.String({ description: 'Same as bulkId' }),
  bulkId: Type.String(),
  name: Type.String(),
  state: Type.Union([Type.Literal('running'), Type.Literal('finished')]),
  progress: Type.Integer({ minimum: 0, maximum: 100 }),
  items: Type.Integer({ description: 'Items of the request, refused ones included' }),
  counts: Type.Object(counts as Record<JobState, ReturnType<typeof Type.Integer>>),
  creditsReserved: Type.Integer({
    description: 'Credits still held for the jobs of the bulk that have not ended',
  }),
  creditsCharged: Type.Integer(),
  errors: ItemErrors,
  ts: Type.Object({
    created: Type.String({ format: 'date-time' }),
    finished: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
  }),
}

export const Bulk = Type.Object(bulkProperties, { $id: 'Bulk' })

/** A bulk as its customer reads it. `errors`: items that were refused at its submission. */
export function showBulk({ id, name, items, parts, refused, createdAt, finishedAt }: BulkView) {
  const open = parts.filter(({ state }) => !isFinal(state))
  const jobsIn = (state: JobState) => parts.find((part) => part.state === state)?.jobs ?? 0
  return {
    id,
    bulkId: id,
    name,
    state: finishedAt ? ('finished' as const) : ('running' as const),
    progress: bulkProgress(parts),
    items,
    counts: Object.fromEntries(jobStates.map((state) => [state, jobsIn(state)] as const)) as Record<
      JobState,
      number
    >,
    creditsReserved: open.reduce((sum, part) => sum + part.creditsReserved, 0),
    creditsCharged: parts.reduce((sum, part) => sum + part.creditsCharged, 0),
    errors: showRefused(refused),
    ts: {
      created: createdAt.toISOString(),
      finished: finishedAt?.toISOString() ?? null,
    },
  }
}

export function showRefused(refused: readonly RefusedItem[]) {
  return refused.map(({ index, details }) => ({ index, details: showFaults(details) }))
}

/** Shows each different warning once, with the number of its jobs. */
export function showBulkWarnings(
  jobs: readonly Pick<NewBulkJob, 'warnings'>[],
  templateId: string | undefined,
) {
  const merged = new Map<string, ReturnType<typeof showWarnings>[number] & { items: number }>()
  for (const { warnings } of jobs) {
    for (const warning of showWarnings(warnings, templateId ?? null)) {
      const { field, code, message } = warning
      const key = JSON.stringify([field, code, message])
      const known = merged.get(key)
      if (known) known.items += 1
      else merged.set(key, { ...warning, items: 1 })
    }
  }
  return [...merged.values()].slice(0, maxWarnings)
}
