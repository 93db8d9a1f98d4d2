import type {
  NewTemplate,
  RenderRequest,
  TemplateChange,
  TemplatePreview,
  TemplateSummary,
} from './api-types.ts'
import type { ActOptions, Caller, CallOptions, Query, Reply } from './caller.ts'
import type { Accepted, Verdict } from './jobs.ts'
import { eachOf } from './pages.ts'

export type Template = Reply<'GET /api/templates/{id}'>
export type TemplateFilter = Omit<Query<'GET /api/templates'>, 'page' | 'pageSize' | 'limit'>

/** Methods for templates: stored projects that are rendered by their id. */
export function templateMethods({ ask, act }: Caller) {
  const change = (id: string, body: TemplateChange, options: CallOptions = {}): Promise<Template> =>
    ask('PUT /api/templates/{id}', { ...options, id, body })

  return {
    /** Lists templates, newest first, without their projects. */
    list: (
      filter: TemplateFilter = {},
      options: CallOptions = {},
    ): AsyncGenerator<TemplateSummary> =>
      eachOf((page) => ask('GET /api/templates', { ...options, query: { ...filter, ...page } }), {
        items: ({ templates }) => templates,
        key: ({ id }) => id,
      }),

    get: (id: string, options: CallOptions = {}): Promise<Template> =>
      ask('GET /api/templates/{id}', { ...options, id }),

    create: (template: NewTemplate, options: ActOptions = {}): Promise<Template> =>
      act('POST /api/templates', { ...options, body: template }),

    change,

    /** Archives a template: it is neither listed nor rendered any more. */
    archive: (id: string, options: CallOptions = {}): Promise<Template> =>
      change(id, { archived: true }, options),

    unarchive: (id: string, options: CallOptions = {}): Promise<Template> =>
      change(id, { archived: false }, options),

    duplicate: (id: string, options: ActOptions = {}): Promise<Template> =>
      act('POST /api/templates/{id}/duplicate', { ...options, id }),

    async delete(id: string, options: CallOptions = {}): Promise<void> {
      await ask('DELETE /api/templates/{id}', { ...options, id })
    },

    /** Previews a render with these variables: the project and its cost. */
    preview: (
      id: string,
      preview: TemplatePreview = {},
      options: CallOptions = {},
    ): Promise<Verdict> =>
      ask('POST /api/templates/{id}/preview', { ...options, id, body: preview }),

    /** Same as `submit({ template: id, … })`. */
    render: (
      id: string,
      request: Omit<RenderRequest, 'payload' | 'template'> = {},
      options: ActOptions = {},
    ): Promise<Accepted> =>
      act('POST /api/render/api-key', { ...options, body: { ...request, template: id } }),
  }
}
