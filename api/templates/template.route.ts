import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { TemplateChange, TemplatePreview } from '../../core/project/schema/template.ts'
import { readTemplateChange, readTemplatePreview } from '../../core/project/template.ts'
import { validateStored } from '../../core/project/validate-stored.ts'
import { changeTemplate } from '../../store/db/templates/change-template.ts'
import { deleteTemplate } from '../../store/db/templates/delete-template.ts'
import { getTemplate, type Template } from '../../store/db/templates/get-template.ts'
import { showVerdict, Verdict } from '../authoring/validate.route.ts'
import type { ApiContext } from '../context.ts'
import { isBodyless } from '../gateway/body.ts'
import { readJson } from '../gateway/json-text.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { showWarnings } from '../jobs/job-view.ts'
import { validateSubmission } from '../jobs/submission.ts'
import { TemplateParams, templateIdOf, templateNotFound } from './template-id.ts'
import { showTemplate, TemplateView } from './template-view.ts'
import {
  accepted,
  addTemplate,
  templateAccess as config,
  warningsOfStored,
} from './templates.route.ts'

const about = { params: TemplateParams, tags: ['templates'] }
const problems = { 400: Problem, 404: Problem }
const bodyProblems = { ...problems, 422: Problem }
const path = '/api/templates/:id'

/** GET, PUT and DELETE /api/templates/{id}. Archiving is a change: `archived`. */
export function templateRoutes(server: Server, { trustedHosts }: ApiContext): void {
  const reading = { ...about, response: { 200: TemplateView, ...problems } }
  server.get(path, { schema: reading, config }, async (request) => {
    const template = await templateOf(request)
    const validated = validateStored(template.payload, request.account.limits, { trustedHosts })
    return { ...showTemplate(template), warnings: showWarnings(validated.warnings, null) }
  })
  const changing = { ...about, response: { 200: TemplateView, ...bodyProblems } }
  server.put(
    path,
    { schema: changing, config: { ...config, body: TemplateChange } },
    async (request) => {
      const templateId = request.params.id
      const change = accepted(readTemplateChange(readJson(request.body), { trustedHosts }))
      const { accountId } = request.account
      const { limits } = request.account
      const { payload } = change
      const warnings = payload === undefined ? [] : warningsOfStored(payload, limits, trustedHosts)
      const template = await changeTemplate(request.db, { accountId, templateId, change })
      if (!template) throw templateNotFound(templateId)
      return { ...showTemplate(template), warnings }
    },
  )
  const Deleted = Type.Object({ deleted: Type.Literal(true) })
  const deleting = { ...about, response: { 200: Deleted, ...problems } }
  server.delete(path, { schema: deleting, config }, async (request) => {
    const templateId = request.params.id
    const { accountId } = request.account
    const isGone = await deleteTemplate(request.db, { accountId, templateId })
    if (!isGone) throw templateNotFound(templateId)
    return { deleted: true as const }
  })
}

/** POST /api/templates/{id}/duplicate: a copy under a name of its own, not archived. */
export function duplicateTemplateRoute(server: Server): void {
  const schema = { ...about, response: { 201: TemplateView, ...problems, 422: Problem } }
  server.post(`${path}/duplicate`, { schema, config }, async (request, reply) => {
    const { name, description, payload } = await templateOf(request)
    const id = templateIdOf(request.idempotency?.id ?? randomUUID())
    const copy = { id, name: copyName(name), description, payload }
    reply.code(201)
    return showTemplate(await addTemplate(request, copy))
  })
}

/**
 * POST /api/templates/{id}/preview: the project and price of a render with these variables,
 * archived or not; creates nothing. It paints no pictures, which only a job does.
 */
export function previewTemplateRoute(server: Server, { trustedHosts }: ApiContext): void {
  const response = {
    200: Type.Object({
      ...Verdict.properties,
      project: Type.Record(Type.String(), Type.Unknown(), {
        description: 'Copy of the payload, where clients of the original service read it',
      }),
    }),
    ...bodyProblems,
  }
  const schema = { ...about, response }
  server.post(
    `${path}/preview`,
    { schema, config: { ...config, body: TemplatePreview, isBodyOptional: true } },
    async (request) => {
      const { payload } = await templateOf(request)
      const { body, account } = request
      const asked = isBodyless(body) ? {} : accepted(readTemplatePreview(readJson(body)))
      const { limits } = account
      const options = { limits, trustedHosts, stored: true, payloadAt: '' } as const
      const verdict = showVerdict(validateSubmission({ ...asked, payload }, options))
      return { ...verdict, project: verdict.payload }
    },
  )
}

/** @throws FarmError not_found */
async function templateOf({
  db,
  params,
  account,
}: Pick<
  FastifyRequest<{ Params: { id: string } }>,
  'db' | 'params' | 'account'
>): Promise<Template> {
  const templateId = params.id
  const template = await getTemplate(db, { accountId: account.accountId, templateId })
  if (!template) throw templateNotFound(templateId)
  return template
}

const maxName = 200
const suffix = ' (copy)'

function copyName(name: string): string {
  const characters = [...name]
  return `${characters.slice(0, maxName - suffix.length).join('')}${suffix}`
}
