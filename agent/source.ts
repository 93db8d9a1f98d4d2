import type { ProjectPatch, RenderRequest } from '../client/farm-client.ts'
import { type Agent, anyObject, string } from './tool.ts'

/** Inputs that name a project, and the request that they stand for. */

export type Source = {
  readonly draft?: string
  readonly template?: string
  readonly project?: Record<string, unknown>
  readonly variables?: Record<string, unknown>
  readonly overrides?: Record<string, unknown>
}

export const sourceShape = {
  'draft?': string('Draft id; or give template or project'),
  'template?': string(),
  'project?': anyObject,
  'variables?': anyObject,
  'overrides?': anyObject,
}

/** A refusal of the input by us, in the same shape as the farm's. */
export class InputRefused extends Error {}

/** Returns the one origin that was given. @throws InputRefused for none or several */
export function originOf({ draft, template, project }: Source) {
  const given = [draft, template, project].filter((each) => each !== undefined).length
  if (given !== 1) {
    throw new InputRefused(
      `Exactly one of draft, template and project must be given. Got ${given}. Save the project with save_draft and pass its id.`,
    )
  }
  if (draft !== undefined) return { project: draft }
  if (template !== undefined) return { template }
  return { payload: project }
}

/** Returns the render request of a source; a draft's payload is read. */
export async function requestOf(source: Source, { farm, signal }: Agent): Promise<RenderRequest> {
  const origin = originOf(source)
  const { variables, overrides } = source
  const settings = { ...(variables && { variables }), ...(overrides && { overrides }) }
  if (origin.project === undefined) return { ...origin, ...settings } as RenderRequest
  const { payload } = await farm.projects.get(origin.project, { signal })
  return { payload, ...settings } as RenderRequest
}

export type Patch = ProjectPatch['patch']
