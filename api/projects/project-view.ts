import { type Static, Type } from 'typebox'
import type { PlanLimits } from '../../core/accounts/plans.ts'
import { priceAtSubmission } from '../../core/jobs/pricing.ts'
import { validateRequest } from '../../core/project/validate.ts'
import type { Project, ProjectSummary } from '../../store/db/projects/get-project.ts'
import { Detail, showFaults } from '../gateway/problem.ts'
import { showWarnings, WarningView } from '../jobs/job-view.ts'
import { ProjectId } from './project-id.ts'

const summary = {
  id: ProjectId,
  name: Type.String(),
  type: Type.Union([Type.Literal('video'), Type.Literal('image')]),
  version: Type.Integer({ description: 'Starts at 1 and grows by 1 with each change' }),
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
}
const payload = Type.Record(Type.String(), Type.Unknown(), { description: 'Payload as stored' })

export const ProjectSummaryView = Type.Object(summary, { $id: 'ProjectSummary' })

export const ProjectView = Type.Object(
  {
    ...summary,
    payload,
    project: Type.Object(
      { ...summary, payload },
      { description: 'Copy of the same object, where clients of the original service read it' },
    ),
    valid: Type.Boolean({ description: 'True when a render of the payload would be accepted now' }),
    errors: Type.Array(Detail, { description: 'Faults of the payload' }),
    warnings: Type.Array(WarningView),
    creditsRequired: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Credits that a submission would hold; null while there are errors',
    }),
  },
  { $id: 'Project' },
)

/** A draft as a list shows it. */
export function showProjectSummary({ createdAt, updatedAt, ...rest }: ProjectSummary) {
  return { ...rest, createdAt: createdAt.toISOString(), updatedAt: updatedAt.toISOString() }
}

/** A draft, and the verdict on rendering its payload under the account's plan. */
export function showProject(
  { payload, ...rest }: Project,
  { limits, trustedHosts }: { limits: PlanLimits; trustedHosts: readonly string[] },
): Static<typeof ProjectView> {
  const shown = { ...showProjectSummary(rest), payload: { ...payload } }
  return { ...shown, project: shown, ...validatePayload(payload, { limits, trustedHosts }) }
}

function validatePayload(
  payload: unknown,
  { limits, trustedHosts }: { limits: PlanLimits; trustedHosts: readonly string[] },
) {
  const validation = validateRequest({ payload }, limits, { trustedHosts })
  if ('faults' in validation) {
    const errors = showFaults(validation.faults)
    return { valid: false, errors, warnings: [], creditsRequired: null }
  }
  const { project, warnings } = validation.resolution
  return {
    valid: true,
    errors: [],
    warnings: showWarnings(warnings, null),
    creditsRequired: priceAtSubmission(project, limits).credits,
  }
}
