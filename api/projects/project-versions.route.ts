import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { ProjectRestoring } from '../../core/project/schema/draft.ts'
import type { Db } from '../../store/db/database.ts'
import { changeProject } from '../../store/db/projects/change-project.ts'
import { getProject, type Project, type ProjectOf } from '../../store/db/projects/get-project.ts'
import { getProjectVersion } from '../../store/db/projects/get-project-version.ts'
import { listProjectVersions } from '../../store/db/projects/list-project-versions.ts'
import type { ApiContext } from '../context.ts'
import { bodyReader } from '../gateway/body.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { ProjectParams, projectNotFound } from './project-id.ts'
import { ProjectView, showProject } from './project-view.ts'

const readRestoring = bodyReader(ProjectRestoring)

const Versions = Type.Object({
  versions: Type.Array(
    Type.Object({
      version: Type.Integer(),
      name: Type.String(),
      updatedAt: Type.String({ format: 'date-time' }),
    }),
    { description: 'The newest first: the current one and up to 50 before' },
  ),
  total: Type.Integer(),
})

const config = { credentials: ['key', 'session'], scope: 'templates' } as const
const tags = ['projects']
const path = '/api/projects/:id'

/**
 * GET /api/projects/{id}/versions: the draft's history. POST …/restore: makes an earlier version the
 * current one.
 */
export function projectVersionRoutes(server: Server, { trustedHosts, sealKeys }: ApiContext): void {
  const about = { tags, params: ProjectParams }
  const problems = { 400: Problem, 404: Problem, 409: Problem, 422: Problem }
  const listing = { ...about, response: { 200: Versions, 400: Problem, 404: Problem } }
  server.get(`${path}/versions`, { schema: listing, config }, async ({ db, account, params }) => {
    const { accountId } = account
    const owned = { accountId, projectId: params.id, sealKeys }
    const found = await listProjectVersions(db, owned)
    if (found.length === 0) throw projectNotFound(params.id)
    const versions = found.map(({ updatedAt, ...rest }) => ({
      ...{ ...rest, updatedAt: updatedAt.toISOString() },
    }))
    return { versions, total: versions.length }
  })

  const changing = { ...about, response: { 200: ProjectView, ...problems } }
  server.post(
    `${path}/restore`,
    { schema: changing, config: { ...config, body: ProjectRestoring } },
    async ({ db, account, params, body }) => {
      const { accountId, limits } = account
      const owned = { accountId, projectId: params.id, sealKeys }
      const { version, baseVersion } = readRestoring(body)
      const { name, payload } = await expectVersion(db, { ...owned, version })
      const change = { name, payload, ...(baseVersion !== undefined && { baseVersion }) }
      const project = await changeProject(db, { ...owned, change })
      if (!project) throw await notChanged(db, owned, baseVersion)
      return showProject(project, { limits, trustedHosts })
    },
  )
}

/** Returns the version of a draft. @throws FarmError when there is none */
export async function expectVersion(
  db: Db,
  { version, ...owned }: ProjectOf & { readonly version: number },
): Promise<Project> {
  const found = await getProjectVersion(db, { ...owned, version })
  if (found) return found
  const versions = await listProjectVersions(db, owned)
  if (versions.length === 0) throw projectNotFound(owned.projectId)
  const kept = `${versions.at(-1)?.version} to ${versions[0]?.version}`
  const message = `version must be one that is kept: ${kept}. Got ${version}`
  throw new FarmError('not_found', message, { field: 'version' })
}

/** Explains why nothing was changed. `baseVersion`: the version that the change asked for. */
export async function notChanged(db: Db, owned: ProjectOf, baseVersion = 0): Promise<FarmError> {
  const project = await getProject(db, owned)
  return project ? staleVersion(baseVersion, project.version) : projectNotFound(owned.projectId)
}

export function staleVersion(sent: number, current: number): FarmError {
  const rule = `baseVersion must be the project's version, ${current}. Got ${sent}`
  const message = `${rule}; get the project and make the change to that`
  return new FarmError('conflict', message, { field: 'baseVersion' })
}
