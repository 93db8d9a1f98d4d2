import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import { NewProject, ProjectChange, Version } from '../../core/project/schema/draft.ts'
import { changeProject } from '../../store/db/projects/change-project.ts'
import { deleteProject } from '../../store/db/projects/delete-project.ts'
import { getProject } from '../../store/db/projects/get-project.ts'
import { insertProject } from '../../store/db/projects/insert-project.ts'
import { listProjects } from '../../store/db/projects/list-projects.ts'
import type { ApiContext } from '../context.ts'
import { bodyReader } from '../gateway/body.ts'
import { pageQuery, pageView, readPage, showPage } from '../gateway/paging.ts'
import { Problem, ProblemError } from '../gateway/problem.ts'
import { SearchText } from '../gateway/search.ts'
import type { Server } from '../gateway/typed-server.ts'
import { ProjectParams, projectIdOf, projectNotFound } from './project-id.ts'
import { expectVersion, notChanged } from './project-versions.route.ts'
import { ProjectSummaryView, ProjectView, showProject, showProjectSummary } from './project-view.ts'

const Query = Type.Object({ search: Type.Optional(SearchText), ...pageQuery })
const Projects = Type.Object({ projects: Type.Array(ProjectSummaryView), ...pageView })

const readNew = bodyReader(NewProject)
const readChange = bodyReader(ProjectChange)

/** A draft is an unfinished template, so both need the same scope. */
const config = { credentials: ['key', 'session'], scope: 'templates' } as const
const tags = ['projects']
const path = '/api/projects'

/** GET /api/projects: the account's drafts, newest first. POST: a new one. */
export function projectsRoutes(server: Server, { trustedHosts, sealKeys }: ApiContext): void {
  const listing = { tags, querystring: Query, response: { 200: Projects, 400: Problem } }
  server.get(path, { schema: listing, config }, async ({ db, account, query }) => {
    const page = readPage(query)
    const { search } = query
    const found = await listProjects(db, {
      ...{ accountId: account.accountId, sealKeys, ...page },
      ...(search !== undefined && { search }),
    })
    const projects = found.projects.map(showProjectSummary)
    return { projects, ...showPage(page, found.total) }
  })

  const making = { tags, response: { 201: ProjectView, 400: Problem, 422: Problem } }
  server.post(
    path,
    { schema: making, config: { ...config, body: NewProject } },
    async ({ db, account, body, idempotency }, reply) => {
      const { accountId, limits } = account
      const wanted = readNew(body)
      const id = projectIdOf(idempotency?.id ?? randomUUID())
      const made = await insertProject(db, {
        ...{ ...wanted, id, accountId, sealKeys, limit: limits.projects },
      })
      if (!made) {
        const rule = `An account must have <= ${limits.projects} projects on this plan`
        const extra = { planLimits: { ...limits } }
        throw new ProblemError('plan_limit', `${rule}. Got one more`, { extra })
      }
      reply.code(201)
      return showProject(made, { limits, trustedHosts })
    },
  )
}

/** GET, PUT and DELETE /api/projects/{id}. A draft is rendered only by submitting its payload. */
export function projectRoutes(server: Server, { trustedHosts, sealKeys }: ApiContext): void {
  const about = { tags, params: ProjectParams }
  const problems = { 400: Problem, 404: Problem }
  const showing = { ...about, response: { 200: ProjectView, ...problems } }
  const asked = { ...showing, querystring: Type.Object({ version: Type.Optional(Version) }) }
  server.get(`${path}/:id`, { schema: asked, config }, async ({ db, account, params, query }) => {
    const { accountId, limits } = account
    const owned = { accountId, projectId: params.id, sealKeys }
    const { version } = query
    const project =
      version === undefined
        ? await getProject(db, owned)
        : await expectVersion(db, { ...owned, version })
    if (!project) throw projectNotFound(params.id)
    return showProject(project, { limits, trustedHosts })
  })

  const changing = { ...about, response: { 200: ProjectView, ...problems, 409: Problem } }
  server.put(
    `${path}/:id`,
    { schema: changing, config: { ...config, body: ProjectChange } },
    async ({ db, account, params, body }) => {
      const { accountId, limits } = account
      const owned = { accountId, projectId: params.id, sealKeys }
      const change = readChange(body)
      const project = await changeProject(db, { ...owned, change })
      if (!project) throw await notChanged(db, owned, change.baseVersion)
      return showProject(project, { limits, trustedHosts })
    },
  )

  const Deleted = Type.Object({ deleted: Type.Literal(true) })
  const deleting = { ...about, response: { 200: Deleted, ...problems } }
  server.delete(`${path}/:id`, { schema: deleting, config }, async ({ db, account, params }) => {
    const { accountId } = account
    const isGone = await deleteProject(db, { accountId, projectId: params.id })
    if (!isGone) throw projectNotFound(params.id)
    return { deleted: true as const }
  })
}
