import { Type } from 'typebox'
import { isRecord } from '../../core/project/check.ts'
import type { Template, TemplateSummary } from '../../store/db/templates/get-template.ts'
import type { ListedTemplate } from '../../store/db/templates/list-templates.ts'
import type { LinkSigner } from '../../store/objects/object-store.ts'
import { signOutputs } from '../../store/objects/output-links.ts'
import { WarningView } from '../jobs/job-view.ts'

const summary = {
  id: Type.String({ pattern: '^tpl_[A-Za-z0-9]{20}$' }),
  name: Type.String(),
  description: Type.String(),
  type: Type.Union([Type.Literal('video'), Type.Literal('image')]),
  archived: Type.Boolean(),
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
}

export const TemplateSummaryView = Type.Object(
  {
    ...summary,
    recentJobs: Type.Integer({ description: 'Jobs submitted with it in the last 30 days' }),
    thumbnailUrl: Type.Union([Type.String({ format: 'uri' }), Type.Null()], {
      description: 'Thumbnail of its last completed job',
    }),
  },
  { $id: 'TemplateSummary' },
)

const payload = Type.Record(Type.String(), Type.Unknown(), { description: 'Payload as stored' })

export const TemplateView = Type.Object(
  {
    ...summary,
    payload,
    template: Type.Object(
      {
        ...summary,
        project: payload,
        variablesSummary: Type.Array(
          Type.Object({ name: Type.String(), type: Type.String(), default: Type.Unknown() }),
          { description: 'Default variables of the project; `type` is the JSON type' },
        ),
      },
      { description: 'Copy of the same object, where clients of the original service read it' },
    ),
    warnings: Type.Optional(
      Type.Array(WarningView, {
        description: 'Warnings about the payload with its default variables',
      }),
    ),
  },
  { $id: 'Template' },
)

/** A template as a list shows it. */
export async function showListed(
  objects: LinkSigner,
  { recentJobs, thumbnailKey, filesExpireAt, ...template }: ListedTemplate,
) {
  const files = { outputKey: null, thumbnailKey, name: template.name, format: undefined }
  const { thumbnailUrl } = await signOutputs(objects, { ...files, filesExpireAt })
  return { ...showSummary(template), recentJobs, thumbnailUrl }
}

function showSummary(template: TemplateSummary) {
  return {
    id: template.id,
    name: template.name,
    description: template.description,
    type: template.type,
    archived: template.archivedAt !== null,
    createdAt: template.createdAt.toISOString(),
    updatedAt: template.updatedAt.toISOString(),
  }
}

export function showTemplate(template: Template) {
  const shown = showSummary(template)
  const payload: Record<string, unknown> = { ...template.payload }
  const variablesSummary = summarize(payload.variables)
  return { ...shown, payload, template: { ...shown, project: payload, variablesSummary } }
}

function summarize(variables: unknown) {
  return Object.entries(isRecord(variables) ? variables : {}).map(([name, value]) => ({
    name,
    type: value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value,
    default: value,
  }))
}
