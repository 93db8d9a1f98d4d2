import { Type } from 'typebox'
import type { Template, TemplateSummary } from '../store/db/statements/get-template.ts'
import { WarningView } from './job-view.ts'

const summary = {
  id: Type.String({ pattern: '^tpl_[A-Za-z0-9]{20}$' }),
  name: Type.String(),
  description: Type.String(),
  type: Type.Union([Type.Literal('video'), Type.Literal('image')]),
  archived: Type.Boolean(),
  createdAt: Type.String({ format: 'date-time' }),
  updatedAt: Type.String({ format: 'date-time' }),
}

export const TemplateSummaryView = Type.Object(summary, { $id: 'TemplateSummary' })

export const TemplateView = Type.Object(
  {
    ...summary,
    payload: Type.Record(Type.String(), Type.Unknown(), { description: 'As it was stored' }),
    warnings: Type.Optional(
      Type.Array(WarningView, { description: 'Of the payload with its own defaults' }),
    ),
  },
  { $id: 'Template' },
)

/** A template as a list shows it. */
export function showSummary(template: TemplateSummary) {
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
  return { ...showSummary(template), payload: { ...template.payload } }
}
