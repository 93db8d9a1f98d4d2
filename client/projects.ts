import type { NewProject, Project, ProjectChange, ProjectSummary } from './api-types.ts'
import type { ActOptions, Caller, CallOptions, Query } from './caller.ts'
import { eachOf } from './pages.ts'

export type ProjectFilter = Omit<Query<'GET /api/projects'>, 'page' | 'pageSize' | 'limit'>

/** Methods for drafts: payloads that may still have faults. Only a submission renders one. */
export function projectMethods({ ask, act }: Caller) {
  return {
    /** Lists drafts, newest first, without their payloads. */
    list: (filter: ProjectFilter = {}, options: CallOptions = {}): AsyncGenerator<ProjectSummary> =>
      eachOf((page) => ask('GET /api/projects', { ...options, query: { ...filter, ...page } }), {
        items: ({ projects }) => projects,
        key: ({ id }) => id,
      }),

    /** Returns a draft with its validation: `valid`, `errors`, `warnings`. */
    get: (id: string, options: CallOptions = {}): Promise<Project> =>
      ask('GET /api/projects/{id}', { ...options, id }),

    create: (project: NewProject, options: ActOptions = {}): Promise<Project> =>
      act('POST /api/projects', { ...options, body: project }),

    change: (id: string, change: ProjectChange, options: CallOptions = {}): Promise<Project> =>
      ask('PUT /api/projects/{id}', { ...options, id, body: change }),

    async delete(id: string, options: CallOptions = {}): Promise<void> {
      await ask('DELETE /api/projects/{id}', { ...options, id })
    },
  }
}
