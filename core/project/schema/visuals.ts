import { type Static, Type } from 'typebox'
import {
  animation,
  condition,
  type Filled,
  identifier,
  integerFrom,
  maybe,
  mediaUrl,
  numberFrom,
  open,
  text,
} from './fields.ts'
import { positions } from './names.ts'
import {
  ChromaKey,
  CropParams,
  CustomCode,
  Designer,
  Filter,
  Radius,
  Style,
  track,
  Zoom,
} from './parts.ts'

/** The five visual types. */

/** Schema of a visual's `type`: its name in any case, never a placeholder. */
function visualType<Name extends string>(name: Name) {
  const letters = [...name].map((letter) => `[${letter}${letter.toLowerCase()}]`)
  return Type.Unsafe<Name>({ type: 'string', pattern: `^${letters.join('')}$`, title: name })
}

const seconds = maybe(numberFrom(0))
const place = maybe(Type.Enum(positions, { $id: 'Position' }))

const shared = {
  x: maybe(Type.Number()),
  y: maybe(Type.Number()),
  width: maybe(numberFrom(1)),
  height: maybe(numberFrom(1)),
  position: place,
  anchor: place,
  resize: maybe(Type.Enum(['contain', 'cover'])),
  enterBegin: seconds,
  enterEnd: seconds,
  exitBegin: seconds,
  exitEnd: seconds,
  opacity: maybe(numberFrom(0, 1)),
  angle: maybe(Type.Number({ minimum: -360, maximum: 360 })),
  flipV: maybe(Type.Boolean()),
  flipH: maybe(Type.Boolean()),
  track: maybe(track),
  enterAnimation: maybe(animation),
  exitAnimation: maybe(animation),
  condition,
}

const picture = {
  ...shared,
  src: open(mediaUrl),
  cropParams: maybe(CropParams),
  filter: maybe(Filter),
  chromaKey: maybe(ChromaKey),
  zoom: maybe(Zoom),
  radius: maybe(Radius),
}

const ImageVisual = Type.Object(
  { type: visualType('IMAGE'), ...picture },
  { $id: 'ImageVisual', title: 'an IMAGE visual', additionalProperties: false },
)

const GifVisual = Type.Object(
  { type: visualType('GIF'), ...picture },
  { $id: 'GifVisual', title: 'a GIF visual', additionalProperties: false },
)

const VideoVisual = Type.Object(
  {
    type: visualType('VIDEO'),
    ...picture,
    id: maybe(identifier),
    videoBegin: seconds,
    videoEnd: seconds,
    videoDuration: maybe(numberFrom(0.1)),
    volume: maybe(numberFrom(0, 2)),
    speed: maybe(numberFrom(0.1, 10)),
    transition: maybe(animation),
    transitionDuration: seconds,
    transitionId: maybe(text(100)),
    frameRate: maybe(integerFrom(1, 60)),
    hasAudio: maybe(Type.Boolean()),
  },
  { $id: 'VideoVisual', title: 'a VIDEO visual', additionalProperties: false },
)

const coded = { customCode: maybe(CustomCode), designer: maybe(Designer) }

const TextVisual = Type.Object(
  {
    type: visualType('TEXT'),
    ...shared,
    text: maybe(
      Type.String({
        maxLength: 20_000,
        // Markup belongs in `html`; a line break is `<br>` there.
        pattern: '^[^<>\\u0000-\\u001f\\u007f-\\u009f]*$',
        title:
          'text without "<", ">" and control characters such as line breaks; write html instead, with <br> for a line break and &lt; for "<"',
      }),
    ),
    html: maybe(
      Type.String({
        ...text(200_000),
        title: 'HTML, in which the src of <img> is a public http(s) URL or a base64 data: URI',
      }),
    ),
    style: maybe(Style),
    ...coded,
  },
  { $id: 'TextVisual', title: 'a TEXT visual', additionalProperties: false },
)

const SvgVisual = Type.Object(
  {
    type: visualType('SVG'),
    ...shared,
    svg: open(
      Type.String({
        minLength: 1,
        maxLength: 200_000,
        pattern: '^<svg[^\\u0000]*$',
        title: 'an SVG picture that starts with "<svg"',
      }),
    ),
    filter: maybe(Filter),
    chromaKey: maybe(ChromaKey),
    ...coded,
  },
  { $id: 'SvgVisual', title: 'an SVG visual', additionalProperties: false },
)

const byType = { discriminator: { propertyName: 'type' } }

/** Visuals of a video project or a scene. */
export const Visual = Type.Union(
  [ImageVisual, GifVisual, VideoVisual, TextVisual, SvgVisual],
  byType,
)

/** Visuals of an image project. */
export const StillVisual = Type.Union([ImageVisual, TextVisual, SvgVisual], byType)

export type FilledVisual = Filled<Static<typeof Visual>>
export type FilledChromaKey = Filled<Static<typeof ChromaKey>>
export type FilledFilter = Filled<Static<typeof Filter>>
