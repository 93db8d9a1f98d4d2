import type {
  NewProject,
  Project,
  ProjectChange,
  ProjectPatch,
  ProjectSummary,
} from './api-types.ts'
import type { ActOptions, Body, Caller, CallOptions, Query, Reply } from './caller.ts'
import { eachOf } from './pages.ts'

export type ProjectFilter = Omit<Query<'GET /api/projects'>, 'page' | 'pageSize' | 'limit'>

export type ProjectVersion = Reply<'GET /api/projects/{id}/versions'>['versions'][number]

/** Methods for drafts: payloads that may still have faults. Only a submission renders one. */
export function projectMethods({ ask, act }: Caller) {
  return {
    /** Lists drafts, newest first, without their payloads. */
    list: (filter: ProjectFilter = {}, options: CallOptions = {}): AsyncGenerator<ProjectSummary> =>
      eachOf((page) => ask('GET /api/projects', { ...options, query: { ...filter, ...page } }), {
        items: ({ projects }) => projects,
        key: ({ id }) => id,
      }),

    /**
     * Returns a draft with its validation: `valid`, `errors`, `warnings`. `version`: an earlier one.
     */
    get: (
      id: string,
      { version, ...options }: CallOptions & Query<'GET /api/projects/{id}'> = {},
    ): Promise<Project> =>
      ask('GET /api/projects/{id}', {
        ...{ ...options, id },
        query: version === undefined ? {} : { version },
      }),

    create: (project: NewProject, options: ActOptions = {}): Promise<Project> =>
      act('POST /api/projects', { ...options, body: project }),

    change: (id: string, change: ProjectChange, options: CallOptions = {}): Promise<Project> =>
      ask('PUT /api/projects/{id}', { ...options, id, body: change }),

    /**
     * Applies a JSON Patch (RFC 6902) to a draft's payload: all of it, or nothing. A lost answer to a
     * patch with `baseVersion` shows as code `conflict` when it is repeated.
     */
    patch: (id: string, patch: ProjectPatch, options: CallOptions = {}): Promise<Project> =>
      ask('PATCH /api/projects/{id}', { retries: 0, ...options, id, body: patch }),

    /** Lists the versions of a draft, newest first. */
    async versions(id: string, options: CallOptions = {}): Promise<readonly ProjectVersion[]> {
      return (await ask('GET /api/projects/{id}/versions', { ...options, id })).versions
    },

    /** Makes an earlier version the current one, as a new version. */
    restore: (
      id: string,
      restoring: Body<'POST /api/projects/{id}/restore'>,
      options: ActOptions = {},
    ): Promise<Project> =>
      act('POST /api/projects/{id}/restore', { ...options, id, body: restoring }),

    async delete(id: string, options: CallOptions = {}): Promise<void> {
      await ask('DELETE /api/projects/{id}', { ...options, id })
    },
  }
}
