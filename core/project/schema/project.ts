import { type Static, Type } from 'typebox'
import {
  animation,
  color,
  condition,
  type Filled,
  identifier,
  integerFrom,
  maybe,
  mediaUrl,
  numberFrom,
  open,
  resolution,
  text,
  Variables,
} from './fields.ts'
import { imageFormats, videoFormats } from './names.ts'
import { track } from './parts.ts'
import { Subtitle } from './subtitle.ts'
import { StillVisual, Visual } from './visuals.ts'

/** Audio items, scenes and the two kinds of project. */

const seconds = maybe(numberFrom(0))

export const AudioItem = Type.Object(
  {
    src: open(mediaUrl),
    matchDuration: maybe(Type.Boolean()),
    enter: seconds,
    exit: seconds,
    volume: maybe(numberFrom(0, 2)),
    speed: maybe(numberFrom(0.1, 10)),
    audioBegin: seconds,
    audioEnd: seconds,
    audioDuration: seconds,
    track: maybe(track),
    condition,
  },
  { $id: 'AudioItem', title: 'an audio item', additionalProperties: false },
)

const visuals = maybe(Type.Array(Visual))
const audios = maybe(Type.Array(AudioItem))

export const Scene = Type.Object(
  {
    id: maybe(identifier),
    duration: maybe(
      // -1 = from content.
      Type.Union([Type.Literal(-1), numberFrom(0.1)]),
    ),
    transition: maybe(animation),
    transitionId: maybe(text(100)),
    transitionDuration: maybe(numberFrom(0, 60)),
    backgroundColor: maybe(color),
    visuals,
    audios,
    variables: Type.Optional(Variables),
    condition,
    iterate: maybe(text(1000, 1)),
    iterateAs: maybe(
      Type.String({
        pattern: '^[A-Za-z][A-Za-z0-9_]*$',
        maxLength: 100,
        title: 'a variable name of letters, digits and "_"',
      }),
    ),
  },
  { $id: 'Scene', title: 'a scene', additionalProperties: false },
)

const common = {
  name: maybe(
    Type.String({
      pattern: '^[A-Za-z0-9 _-]*$',
      maxLength: 1000,
      title: 'a name of letters, digits, spaces, "_" and "-"',
    }),
  ),
  resolution: maybe(resolution),
  width: maybe(integerFrom(1)),
  height: maybe(integerFrom(1)),
  backgroundColor: maybe(color),
  variables: Type.Optional(Variables),
}

export const VideoProject = Type.Object(
  {
    type: Type.Optional(Type.Literal('video')),
    ...common,
    duration: maybe(numberFrom(0.1)),
    durationMode: maybe(Type.Enum(['auto', 'fixed'])),
    frameRate: maybe(integerFrom(1, 60)),
    outputFormat: maybe(Type.Enum(videoFormats)),
    visuals,
    audios,
    scenes: maybe(Type.Array(Scene)),
    thumbnail: maybe(mediaUrl),
    subtitle: maybe(Subtitle),
  },
  { $id: 'VideoProject', title: 'a video project', additionalProperties: false },
)

export const ImageProject = Type.Object(
  {
    type: Type.Literal('image'),
    ...common,
    outputFormat: maybe(Type.Enum(imageFormats)),
    snapshotTime: maybe(numberFrom(0, 3600)),
    quality: maybe(integerFrom(1, 100)),
    transparent: maybe(Type.Boolean()),
    visuals: maybe(Type.Array(StillVisual)),
  },
  { $id: 'ImageProject', title: 'an image project', additionalProperties: false },
)

/**
 * Project, chosen by `type`; a video if absent. `type` takes no placeholder: the rest depends on it.
 */
export const RenderPayload = Type.Union([VideoProject, ImageProject], {
  $id: 'RenderPayload',
  discriminator: { propertyName: 'type' },
})

export type RenderPayload = Static<typeof RenderPayload>
export type FilledVideoProject = Filled<Static<typeof VideoProject>>
export type FilledImageProject = Filled<Static<typeof ImageProject>>
export type FilledScene = Filled<Static<typeof Scene>>
export type FilledAudio = Filled<Static<typeof AudioItem>>
