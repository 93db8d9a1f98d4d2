import type { FastifyReply } from 'fastify'
import { type Static, Type } from 'typebox'
import { FarmError, type Fault, pointerInJob, pointerOf } from '../../core/errors.ts'
import type { JobError } from '../../core/jobs/jobs.ts'
import { PreviewRequest, previewLimits } from '../../core/project/schema/preview.ts'
import type { Preview } from '../../store/db/previews/find-preview.ts'
import type { ApiContext } from '../context.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { showWarnings, WarningView } from '../jobs/job-view.ts'
import { readPreview } from './preview-request.ts'
import type { FoundPreview } from './previews.ts'

const Sheet = Type.Object({
  status: Type.Literal('painted'),
  cached: Type.Boolean({ description: 'True when the sheet was in the store' }),
  url: Type.String({ format: 'uri', description: 'Address of the JPEG, until urlExpiresAt' }),
  urlExpiresAt: Type.String({ format: 'date-time' }),
  image: Type.Optional(
    Type.String({ description: 'The JPEG as base64, when the request asked for it inline' }),
  ),
  size: Type.Integer({ description: 'Bytes of the JPEG', maximum: previewLimits.mostBytes }),
  width: Type.Integer(),
  height: Type.Integer(),
  quality: Type.Integer({ description: 'JPEG quality, the highest that fits maxBytes' }),
  frameWidth: Type.Integer({ description: "Is at most half of the film's width" }),
  frameHeight: Type.Integer({ description: "Is at most half of the film's height" }),
  frames: Type.Array(
    Type.Object({
      time: Type.Number({ description: 'Seconds of the film' }),
      x: Type.Integer({ description: 'Left edge of the frame on the sheet, px' }),
      y: Type.Integer({ description: 'Top edge of the frame on the sheet, px' }),
    }),
  ),
  warnings: Type.Array(WarningView),
})

const Painting = Type.Object({
  status: Type.Literal('painting'),
  message: Type.String(),
  retryAfterSeconds: Type.Integer({ description: 'Same as the header Retry-After' }),
})

const againSeconds = 2

/**
 * POST /api/render/preview: frames of a film, or a still, as a small JPEG, painted as the render
 * would paint them. It costs nothing and makes no job that its account sees.
 */
export function previewRoute(server: Server, context: ApiContext): void {
  const schema = {
    tags: ['render'],
    response: {
      200: {
        description: 'The preview, as JSON or as the JPEG itself',
        content: {
          'application/json': { schema: Sheet },
          'image/jpeg': { schema: Type.Unsafe<Buffer>({ contentMediaType: 'image/jpeg' }) },
        },
      },
      202: Painting,
      400: Problem,
      404: Problem,
      422: Problem,
    },
  }
  const access = { credentials: ['key', 'session'], scope: 'render' } as const
  const config = { ...access, body: PreviewRequest, mayBeUnfinished: true }
  server.post('/api/render/preview', { schema, config }, async (request, reply) => {
    const { db, body, account, headers } = request
    const { trustedHosts, previews } = context
    const asked = await readPreview({ db, trustedHosts }, { body, account })
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    const found = await previews.paint({ asked, account, signal: gone.signal })
    const { preview } = found
    const { templateId = null } = asked
    if (preview.error) throw failureOf(preview.error, templateId)
    if (preview.state === 'cancelled') throw tooLong()
    if (preview.state !== 'completed') return stillPainting(reply)
    if (wantsJpeg(headers.accept)) return await sendJpeg(reply, found)
    const { inline = false } = asked.options
    return await reply.send(await showSheet(found, { inline, templateId }))
  })

  async function sendJpeg(reply: FastifyReply, { preview }: FoundPreview) {
    const jpeg = await context.previews.read(sheetOf(preview).key)
    reply.type('image/jpeg').header('content-disposition', 'inline; filename="preview.jpg"')
    return reply.send(jpeg)
  }

  async function showSheet(
    { preview, isStored }: FoundPreview,
    { inline, templateId }: { inline: boolean; templateId: string | null },
  ): Promise<Static<typeof Sheet>> {
    const { key, result, sheet } = sheetOf(preview)
    const wanted = Math.floor(((preview.filesExpireAt?.getTime() ?? 0) - Date.now()) / 1000)
    const seconds = await context.objects.urlSeconds(Math.max(1, wanted))
    const url = await context.objects.signGet(key, {
      ...{ seconds, contentType: 'image/jpeg', filename: 'preview.jpg', forCustomer: true },
    })
    const { size, width, height } = result
    return {
      ...{ status: 'painted', cached: isStored, url },
      urlExpiresAt: new Date(Date.now() + seconds * 1000).toISOString(),
      ...(inline && { image: (await context.previews.read(key)).toString('base64') }),
      ...{ size, width, height, quality: sheet.quality },
      ...{ frameWidth: sheet.frame.width, frameHeight: sheet.frame.height },
      frames: sheet.frames.map((frame) => ({ ...frame })),
      warnings: showWarnings(preview.warnings, templateId),
    }
  }
}

function sheetOf({ result, outputKey }: Preview) {
  const sheet = result?.sheet
  if (!result || !sheet || outputKey === null) {
    throw new FarmError('unavailable', 'The preview was removed meanwhile; ask for it again')
  }
  return { key: outputKey, result, sheet }
}

/** JSON unless the caller asks for a picture by name, as `curl -H 'accept: image/jpeg'` does. */
function wantsJpeg(accept = ''): boolean {
  return /(?:^|,)\s*image\/(?:jpeg|\*)\s*(?:[;,]|$)/i.test(accept)
}

function stillPainting(reply: FastifyReply) {
  reply.code(202).header('retry-after', againSeconds)
  const message =
    'The preview is still being painted, mostly because its media are being fetched. Send the same request again to get it.'
  return reply.send({ status: 'painting', message, retryAfterSeconds: againSeconds })
}

/** The sweeper has ended it (workflows/janitor). */
function tooLong(): FarmError {
  const rule = 'A preview must be painted within ten minutes, its media included. Got none in time'
  return new FarmError('unavailable', `${rule}; try again later`)
}

/** Tells a failure as a fault of the request: media and times name their fields. */
function failureOf({ code, message, details }: JobError, templateId: string | null): FarmError {
  const located = details.map((fault): Fault => {
    const isTime = fault.field.startsWith('times[')
    const pointer = isTime ? pointerOf(fault.field) : pointerInJob(fault, templateId)
    return { ...fault, pointer }
  })
  return new FarmError(code, message, { details: located })
}
