import { isPlanName, largestPlan, planNames, plans } from '../../core/plans.ts'
import { priceAtSubmission } from '../../core/pricing.ts'
import { usage } from '../failure.ts'
import { checkRequest } from './check.ts'
import { findLocalMedia, pointTo } from './local-media.ts'
import { readProjectFile } from './project-file.ts'

export type ValidateOptions = {
  readonly file: string
  readonly var?: Record<string, unknown>
  readonly plan?: string
}

/** Stands for the address that `farm render` would serve local media at. */
const stand = '127.0.0.1:80'

/** `farm validate`: says what rendering would cost, or every fault. @throws Failure */
export function validateFile({ file, var: variables, plan = largestPlan }: ValidateOptions): void {
  if (!isPlanName(plan)) {
    throw usage(`--plan must be one of ${planNames.join(', ')}. Got ${plan}`)
  }
  const request = readProjectFile(file, variables)
  const media = findLocalMedia(request, file)
  const pointed = pointTo(request, media, (_, index) => `http://${stand}/${index}`)
  const { project, warnings } = checkRequest(pointed, { plan, trustedHosts: [stand] })
  for (const { field, message } of warnings) console.log(`warning: ${field}: ${message}`)
  const { credits, seconds, exact } = priceAtSubmission(project, plans[plan])
  const length = project.type === 'image' ? 'a still' : `${exact ? '' : 'up to '}${seconds} s`
  console.log(
    `${file} is valid: ${length}, ${project.width}x${project.height}, ${project.outputFormat}, ${credits} credits`,
  )
}
