import type { PreviewRequest } from '../../client/api-types.ts'
import { picture, pictureMaxBytes } from '../picture.ts'
import { requestOf, type Source, sourceShape } from '../source.ts'
import { hints, integer, object, text, tool } from '../tool.ts'

const waitMs = 50_000

type Asking = Source & { readonly times?: readonly number[]; readonly width?: number }

export const previewProject = tool<Asking>({
  name: 'preview_project',
  title: 'See a project before paying',
  description:
    'Paints frames, small, on one picture with their times below. Free, 20 a minute. Then quote_render.',
  hints: hints.reads,
  input: object({
    ...sourceShape,
    'times?': { type: 'array', items: { type: 'number' }, description: 'Seconds, at most 12' },
    'width?': integer(64, 480, 'Of a frame, px; at most half of the canvas'),
  }),
  async run({ times, width, ...source }, agent) {
    const { farm, signal } = agent
    const wanted = { ...(times && { times }), ...(width !== undefined && { width }) }
    const request = { ...(await requestOf(source, agent)), ...wanted, maxBytes: pictureMaxBytes }
    const late = AbortSignal.timeout(waitMs)
    try {
      const { image } = await farm.preview(request as PreviewRequest, {
        signal: AbortSignal.any([signal, late]),
      })
      return { content: [picture(image)] }
    } catch (error) {
      signal.throwIfAborted()
      if (!late.aborted) throw error
      return text(
        'The media are still being fetched. Call preview_project again with the same input.',
      )
    }
  },
})
