import { FarmError, type Fault } from '../../core/errors.ts'
import { isRecord } from '../../core/project/check.ts'
import { shownValue } from '../../core/project/report.ts'

type Named = { readonly request: unknown; readonly templateId: string | undefined }

/**
 * Reads a body of a route for stills: a payload without a `type` is an image's.
 * @throws FarmError when the payload, or the template it was taken from, names another type
 */
export function asStill<T extends Named>(named: T): T {
  const { request, templateId } = named
  if (!isRecord(request) || !isRecord(request.payload)) return named
  const { payload } = request
  if (payload.type === 'image') return named
  const fault: Fault | undefined =
    templateId !== undefined
      ? {
          ...{ field: 'template', code: 'invalid_project' },
          message: 'template must hold an image project here. Got a video',
        }
      : payload.type !== undefined
        ? {
            ...{ field: 'type', code: 'invalid_request' },
            message: `type must be "image" here. Got ${shownValue(payload.type)}`,
          }
        : undefined
  if (fault) throw new FarmError(fault.code, fault.message, { details: [fault] })
  return { ...named, request: { ...request, payload: { type: 'image', ...payload } } }
}
