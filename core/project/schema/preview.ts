import { type Static, Type } from 'typebox'
import { integerFrom, numberFrom } from './fields.ts'
import { RenderRequest } from './request.ts'

/** Limits of a preview: a contact sheet of a film, or one frame of it. Sizes in px and bytes. */
export const previewLimits = {
  times: 12,
  /** Frames where no times are given. */
  usualFrames: 6,
  /** Longer side of a frame, at most and if no width is given. */
  side: 480,
  usualSide: 320,
  leastWidth: 64,
  /** Part of the film's width and height that a frame has at most. */
  share: 0.5,
  leastBytes: 10_000,
  /** Unless less is asked for. Every example equals its film at this size (decision 0108). */
  mostBytes: 200_000,
} as const

const { times, usualFrames, side, usualSide, leastWidth, leastBytes, mostBytes } = previewLimits

/** Fields that a preview has beside those of a render request. */
export const previewFields = {
  times: Type.Optional(
    Type.Array(numberFrom(0, 86_400), {
      minItems: 1,
      maxItems: times,
      description: `Moments of the film in seconds. Absent: ${usualFrames} moments at which most is to be seen`,
    }),
  ),
  width: Type.Optional(
    Type.Integer({
      ...integerFrom(leastWidth, side),
      description: `Width of a frame in px; its height follows, and neither exceeds ${side} or half of the film's own, whatever is asked for. Absent: the longer side has ${usualSide}`,
    }),
  ),
  maxBytes: Type.Optional(
    Type.Integer({
      ...integerFrom(leastBytes, mostBytes),
      description: `Size limit of the JPEG; the highest quality that fits is taken. Absent: ${mostBytes}`,
    }),
  ),
  inline: Type.Optional(
    Type.Boolean({ description: 'Adds the JPEG to the JSON response, as base64' }),
  ),
  refresh: Type.Optional(
    Type.Boolean({
      description: 'Paints anew and asks every origin again whether its media have changed',
    }),
  ),
}

/** These fields alone; the rest of the body is read as a render request. */
export const PreviewOptions = Type.Object(previewFields, {
  title: 'a preview request',
  additionalProperties: false,
})

export type PreviewOptions = Static<typeof PreviewOptions>

const { webhookUrl: _, jobId: __, ...described } = RenderRequest.properties

/** Body of a preview request, as published. */
export const PreviewRequest = Type.Object(
  { ...described, ...previewFields },
  {
    $id: 'PreviewRequest',
    title: 'a preview request',
    additionalProperties: false,
    oneOf: [{ required: ['payload'] }, { required: ['template'] }],
  },
)
