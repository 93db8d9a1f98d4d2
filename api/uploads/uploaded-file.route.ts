import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { findUploadedFile } from '../../store/db/uploads/find-uploaded-file.ts'
import { contentDisposition } from '../../store/objects/object-store.ts'
import type { GatewayContext } from '../context.ts'
import { grantedRequests, isLastingGrant } from '../gateway/grants.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { mediaTypes } from './media-types.ts'
import { UploadParams, uploadNotFound } from './upload-view.ts'

const Params = Type.Object({
  ...UploadParams.properties,
  grant: Type.String({ description: 'Permission from the upload’s `url`' }),
})

const fileOf = (type: string) => Type.Unsafe<Readable>({ contentMediaType: type })

/** A stranger's bytes run nowhere, least of all in this origin. */
const policy = "sandbox; default-src 'none'; frame-ancestors 'none'"
/** Nodes may use what they have for so long without asking whether it was deleted. */
const freshSeconds = 3600

/** GET /uploads/{id}/{grant}: an uploaded file, as nodes and pages fetch it. */
export function uploadedFileRoute(server: Server, context: GatewayContext): void {
  const schema = {
    params: Params,
    tags: ['uploads'],
    response: {
      200: {
        description: 'The bytes as they were uploaded, with the type that their content shows',
        content: Object.fromEntries(mediaTypes.map((type) => [type, { schema: fileOf(type) }])),
      },
      304: { description: 'Unchanged' },
      ...{ 400: Problem, 403: Problem, 404: Problem, 503: Problem },
    },
  }
  // A HEAD would open the object to drop it.
  const isGranted = grantedRequests({ kind: 'upload', of: 'id' }, context.playLinks)
  const options = { schema, config: { credentials: [], isGranted }, exposeHeadRoute: false }
  server.get('/uploads/:id/:grant', options, async (request, reply) => {
    const { id, grant } = request.params
    if (!isLastingGrant({ kind: 'upload', id }, { grant, secret: context.playLinks.secret })) {
      const rule = 'The address must be an upload’s url, unchanged. This one is not'
      throw new FarmError('forbidden', rule)
    }
    const file = await findUploadedFile(context.db, id)
    if (!file) throw uploadNotFound(id)
    if (file.isSuspended) {
      throw new FarmError('forbidden', 'The account must be active. Got one that is suspended')
    }
    const etag = `"${file.digest}"`
    reply.header('etag', etag).header('cache-control', `private, max-age=${freshSeconds}`)
    reply.header('content-security-policy', policy).header('x-content-type-options', 'nosniff')
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    reply.header('content-length', file.bytes)
    reply.header('content-disposition', contentDisposition(file.name))
    return reply.type(file.mediaType).send(await context.objects.get(file.objectKey))
  })
}
