import { Type } from 'typebox'
import { deleteUpload } from '../../store/db/uploads/delete-upload.ts'
import { listUploads } from '../../store/db/uploads/list-uploads.ts'
import type { ApiContext } from '../context.ts'
import { pageQuery, pageView, readPage, showPage } from '../gateway/paging.ts'
import { Problem } from '../gateway/problem.ts'
import { SearchText } from '../gateway/search.ts'
import type { Server } from '../gateway/typed-server.ts'
import { receiveUpload } from './receive-upload.ts'
import { showUpload, UploadKind, UploadParams, UploadView, uploadNotFound } from './upload-view.ts'

const config = { credentials: ['key', 'session'], scope: 'render' } as const
const tags = ['uploads']

const Naming = Type.Object({
  name: Type.Optional(
    Type.String({
      ...{ minLength: 1, maxLength: 200, pattern: '^[^\\u0000-\\u001f]*$' },
      title: 'a name of 1 to 200 characters without control characters',
      description: 'Name by which it is listed',
      default: 'upload',
    }),
  ),
})

const File = Type.Unsafe<Buffer>({ type: 'string', format: 'binary', minLength: 1 })

/** POST /api/uploads: the body is the file itself, streamed into the store. */
export function receiveUploadRoute(server: Server, { objects, playLinks }: ApiContext): void {
  server.removeAllContentTypeParsers()
  // The route reads the request's stream itself.
  server.addContentTypeParser('*', (_request: unknown, _payload: unknown, done: Done) => done(null))
  const schema = { tags, querystring: Naming, response: { 200: UploadView, 201: UploadView } }
  server.post(
    '/api/uploads',
    { schema, config: { ...config, otherBodies: { 'application/octet-stream': File } } },
    async (request, reply) => {
      const { raw, account, db } = request
      const { name = 'upload' } = request.query
      try {
        const { upload, isNew } = await receiveUpload({ raw, name, account, db, objects })
        reply.code(isNew ? 201 : 200)
        return showUpload(upload, playLinks)
      } catch (error) {
        // Nobody hears an answer, and nothing has failed.
        if (raw.destroyed && !raw.complete) return reply.hijack()
        throw error
      } finally {
        // Reads and drops the rest of a refused file: a sender in its middle must see the answer.
        raw.resume()
      }
    },
  )
}

type Done = (error: null) => void

const Query = Type.Object({
  search: Type.Optional(SearchText),
  kind: Type.Optional(UploadKind),
  ...pageQuery,
})

const Uploads = Type.Object({
  uploads: Type.Array(UploadView),
  bytes: Type.Integer({ description: 'Bytes of all that match, on every page' }),
  ...pageView,
})

/** GET /api/uploads: the account's uploads, newest first. DELETE /api/uploads/{id}: ends one. */
export function uploadsRoutes(server: Server, { playLinks }: ApiContext): void {
  const listing = { tags, querystring: Query, response: { 200: Uploads, 400: Problem } }
  server.get('/api/uploads', { schema: listing, config }, async (request) => {
    const { search, kind } = request.query
    const page = readPage(request.query)
    const { uploads, total, bytes } = await listUploads(request.db, {
      ...{ accountId: request.account.accountId, ...page },
      ...(search !== undefined && { search }),
      ...(kind !== undefined && { kind }),
    })
    const shown = uploads.map((upload) => showUpload(upload, playLinks))
    return { uploads: shown, bytes, ...showPage(page, total) }
  })
  const Deleted = Type.Object({ deleted: Type.Literal(true) })
  const response = { 200: Deleted, 400: Problem, 404: Problem }
  const deleting = { tags, params: UploadParams, response }
  server.delete('/api/uploads/:id', { schema: deleting, config }, async (request) => {
    const { id: uploadId } = request.params
    const { accountId } = request.account
    const isGone = await deleteUpload(request.db, { accountId, uploadId })
    if (!isGone) throw uploadNotFound(uploadId)
    return { deleted: true as const }
  })
}
