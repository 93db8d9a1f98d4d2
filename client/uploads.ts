import type { Upload } from './api-types.ts'
import type { Caller, CallOptions, Query } from './caller.ts'
import { eachOf } from './pages.ts'

export type UploadFilter = Omit<Query<'GET /api/uploads'>, 'page' | 'pageSize' | 'limit'>

/** The farm takes no longer for a file. */
const attemptMs = 15 * 60_000

/** Methods for media that projects name by the addresses of their uploads. */
export function uploadMethods(caller: Caller) {
  return {
    /** Lists uploads, newest first. */
    list: (filter: UploadFilter = {}, options: CallOptions = {}): AsyncGenerator<Upload> =>
      eachOf(
        (page) => caller.ask('GET /api/uploads', { ...options, query: { ...filter, ...page } }),
        { items: ({ uploads }) => uploads, key: ({ id }) => id },
      ),

    /**
     * Uploads a photograph, clip or sound; its `url` is a `src` for any project. The same bytes twice
     * are one upload. In Node, `fs.openAsBlob` opens a file without reading it into memory.
     */
    create: (
      file: Blob,
      { name = nameOf(file), ...options }: CallOptions & { readonly name?: string } = {},
    ): Promise<Upload> =>
      caller.fetch(
        'POST /api/uploads',
        { ...options, file, attemptMs, query: { name } },
        async (response): Promise<Upload> => (await response.json()) as Upload,
      ),

    async delete(id: string, options: CallOptions = {}): Promise<void> {
      await caller.ask('DELETE /api/uploads/{id}', { ...options, id })
    },
  }
}

/** A browser's file has a name, a blob has none. */
function nameOf(file: Blob): string | undefined {
  return 'name' in file && typeof file.name === 'string' ? file.name.slice(0, 200) : undefined
}
