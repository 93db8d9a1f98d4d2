import { Type } from 'typebox'
import { FarmError } from '../../core/errors.ts'
import { Problem } from '../gateway/problem.ts'
import type { Server } from '../gateway/typed-server.ts'
import { type Library, searchItems } from './catalogue.ts'
import { createSheetPainter, sheetMost } from './examples-sheet.ts'
import { AspectQuery } from './library.route.ts'

const Query = Type.Object({
  q: Type.Optional(
    Type.String({ maxLength: 200, description: 'Words that an example must all contain' }),
  ),
  aspect: Type.Optional(AspectQuery),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: sheetMost, default: sheetMost })),
})

const hourS = 3600

/** GET /api/library/examples/sheet: pictures of the examples that a search finds, on one JPEG. */
export function examplesSheetRoute(server: Server, library: () => Library): void {
  const painter = createSheetPainter(library)
  const schema = {
    tags: ['authoring'],
    querystring: Query,
    response: {
      200: {
        description: 'The sheet',
        content: {
          'image/jpeg': { schema: Type.Unsafe<Buffer>({ contentMediaType: 'image/jpeg' }) },
        },
      },
      400: Problem,
      404: Problem,
    },
  }
  const config = { credentials: [] } as const
  server.get('/api/library/examples/sheet', { schema, config }, async ({ query }, reply) => {
    const { limit = sheetMost, ...search } = query
    const found = searchItems(library().items.examples, search).slice(0, limit)
    if (found.length === 0) {
      const rule = 'An example must have all words of q, and the aspect'
      throw new FarmError('not_found', `${rule}. Got ${JSON.stringify(search)}, which none has`)
    }
    const jpeg = await painter.paint(found)
    reply.type('image/jpeg').header('cache-control', `public, max-age=${hourS}`)
    return reply.send(jpeg)
  })
}
