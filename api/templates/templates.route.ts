import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import type { PlanLimits } from '../../core/accounts/plans.ts'
import type { Fault } from '../../core/errors.ts'
import { NewTemplate } from '../../core/project/schema/template.ts'
import { readNewTemplate } from '../../core/project/template.ts'
import { validateStored } from '../../core/project/validate-stored.ts'
import type { Template } from '../../store/db/templates/get-template.ts'
import {
  insertTemplate,
  type NewTemplate as NewRow,
} from '../../store/db/templates/insert-template.ts'
import { listTemplates } from '../../store/db/templates/list-templates.ts'
import type { ApiContext } from '../context.ts'
import { readJson } from '../gateway/json-text.ts'
import { pageQuery, pageView, readPage, showPage } from '../gateway/paging.ts'
import { Problem, ProblemError } from '../gateway/problem.ts'
import { SearchText } from '../gateway/search.ts'
import type { Server } from '../gateway/typed-server.ts'
import { showWarnings } from '../jobs/job-view.ts'
import { toProblem } from '../jobs/submission.ts'
import { templateIdOf } from './template-id.ts'
import { showListed, showTemplate, TemplateSummaryView, TemplateView } from './template-view.ts'

/** Access to the management of templates. */
export const templateAccess = { credentials: ['key', 'session'], scope: 'templates' } as const

const Query = Type.Object({
  search: Type.Optional(SearchText),
  archived: Type.Optional(Type.Boolean({ default: false })),
  ...pageQuery,
})

const Templates = Type.Object({
  templates: Type.Array(TemplateSummaryView),
  ...pageView,
})

/** GET /api/templates: the account's templates, newest first. POST: a new one. */
export function templatesRoutes(server: Server, { trustedHosts, objects }: ApiContext): void {
  const about = { tags: ['templates'] }
  const listing = { querystring: Query, response: { 200: Templates, 400: Problem } }
  server.get(
    '/api/templates',
    { schema: { ...about, ...listing }, config: templateAccess },
    async (request) => {
      const { archived = false, search } = request.query
      const page = readPage(request.query)
      const { accountId } = request.account
      const found = await listTemplates(request.db, {
        ...{ accountId, archived, ...page },
        ...(search !== undefined && { search }),
      })
      const templates = await Promise.all(
        found.templates.map((template) => showListed(objects, template)),
      )
      return { templates, ...showPage(page, found.total) }
    },
  )
  const making = {
    response: { 201: TemplateView, 400: Problem, 422: Problem },
  }
  server.post(
    '/api/templates',
    { schema: { ...about, ...making }, config: { ...templateAccess, body: NewTemplate } },
    async (request, reply) => {
      const {
        name,
        description = '',
        payload,
      } = accepted(readNewTemplate(readJson(request.body), { trustedHosts }))
      const id = templateIdOf(request.idempotency?.id ?? randomUUID())
      const made = { id, name, description, payload }
      const warnings = warningsOfStored(payload, request.account.limits, trustedHosts)
      const template = await addTemplate(request, made)
      reply.code(201)
      return { ...showTemplate(template), warnings }
    },
  )
}

/** @throws FarmError for lengths that a payload's own defaults make unlawful */
export function warningsOfStored(
  payload: unknown,
  limits: PlanLimits,
  trustedHosts: readonly string[],
) {
  const { faults, warnings } = validateStored(payload, limits, { trustedHosts })
  if (faults.length > 0) throw toProblem(faults, limits)
  return showWarnings(warnings, null)
}

/** Returns the accepted body. @throws FarmError with every fault */
export function accepted<T>(read: { body: T } | { faults: readonly Fault[] }): T {
  if ('faults' in read) throw toProblem(read.faults)
  return read.body
}

/** @throws FarmError plan_limit when the account has as many as its plan allows */
export async function addTemplate(
  { db, account: { accountId, limits } }: Pick<FastifyRequest, 'db' | 'account'>,
  made: Omit<NewRow, 'limit' | 'accountId'>,
): Promise<Template> {
  const template = await insertTemplate(db, { accountId, ...made, limit: limits.templates })
  if (template !== undefined) return template
  const message = `An account must have <= ${limits.templates} templates on this plan. Got one more`
  throw new ProblemError('plan_limit', message, { extra: { planLimits: { ...limits } } })
}
