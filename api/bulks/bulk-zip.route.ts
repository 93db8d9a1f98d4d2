import type { Readable } from 'node:stream'
import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { findBulkOwner } from '../../store/db/bulks/find-bulk-owner.ts'
import { getBulk } from '../../store/db/bulks/get-bulk.ts'
import { listResultsOfBulk } from '../../store/db/bulks/list-results-of-bulk.ts'
import { contentDisposition } from '../../store/objects/object-store.ts'
import { plainFileName } from '../../store/objects/output-links.ts'
import type { GatewayContext } from '../context.ts'
import { grantedRequests, judgeGrant, makeGrant } from '../gateway/grants.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import type { PlayLinks } from '../playback/play-links.ts'
import { filesOfBulk } from './bulk-files.ts'
import { BulkParams, bulkNotFound } from './bulk-id.ts'
import { zipFiles } from './bulk-zip.ts'

const Params = Type.Object({
  ...BulkParams.properties,
  grant: Type.String({ description: 'Permission from the bulk’s `zipUrl`' }),
})

const retrySeconds = 10

/** Returns the address of a bulk's files, good for a day. */
export function signZipLink({ publicUrl, secret }: PlayLinks, id: string): string {
  const grant = makeGrant({ kind: 'zip', id }, { secret, endsAt: null, now: new Date() })
  return `${publicUrl}/download/${id}/${grant}/files.zip`
}

/** GET /download/{id}/{grant}/files.zip: all files of a bulk, as browsers save them. */
export function bulkZipRoute(server: Server, context: GatewayContext): void {
  const schema = {
    params: Params,
    tags: ['bulk'],
    response: {
      200: {
        description: 'The files, named by their rows',
        content: {
          'application/zip': {
            schema: Type.Unsafe<Readable>({ contentMediaType: 'application/zip' }),
          },
        },
      },
      400: Problem,
      403: Problem,
      404: Problem,
      409: Problem,
      429: Problem,
      503: Problem,
    },
  }
  // A HEAD would read all files to drop them.
  const isGranted = grantedRequests({ kind: 'zip', of: 'id' }, context.playLinks)
  const options = { schema, config: { credentials: [], isGranted }, exposeHeadRoute: false }
  server.get('/download/:id/:grant/files.zip', options, async (request, reply) => {
    const { id: bulkId, grant } = request.params
    checkZipGrant(context.playLinks, { bulkId, grant })
    const owner = await findBulkOwner(context.db, bulkId)
    if (!owner) throw bulkNotFound(bulkId)
    const { accountId } = owner
    if (owner.isSuspended) {
      throw new FarmError('forbidden', 'The account must be active. Got one that is suspended')
    }
    const db = context.accountDatabases.of(accountId)
    const bulk = await getBulk(db, { accountId, bulkId })
    if (!bulk) throw bulkNotFound(bulkId)
    const files = filesOfBulk(await listResultsOfBulk(db, { accountId, bulkId }), new Date())
    if (files.length === 0) {
      throw new FarmError('conflict', 'The bulk must have a file. It has none, or none any more')
    }
    const refusal = context.zipPlaces.refusal(accountId)
    if (refusal) {
      reply.header('retry-after', retrySeconds)
      throw refusal
    }
    context.zipPlaces.take(accountId)
    reply.raw.once('close', () => context.zipPlaces.release(accountId))
    const { stream, bytes } = zipFiles(files, (key) => context.objects.get(key))
    const name = `${plainFileName(bulk.name)}.zip`
    reply.header('content-length', bytes).header('cache-control', 'no-store')
    reply.header('content-disposition', contentDisposition(name, true))
    return reply.type('application/zip').send(stream)
  })
}

/** @throws FarmError forbidden */
function checkZipGrant(
  { secret }: PlayLinks,
  { bulkId, grant }: { bulkId: string; grant: string },
): void {
  const permission = judgeGrant({ kind: 'zip', id: bulkId }, { grant, now: new Date(), secret })
  if (permission === 'granted') return
  const why =
    permission === 'expired'
      ? 'The address has expired'
      : 'The address must be a bulk’s zipUrl, unchanged. This one is not'
  const how = 'Ask for the bulk to get a new one: GET /api/render/bulk/{id}'
  throw new FarmError('forbidden', `${why}. ${how}`)
}
