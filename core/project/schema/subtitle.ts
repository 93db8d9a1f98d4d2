import { type Static, Type } from 'typebox'
import {
  color,
  type Filled,
  integerFrom,
  maybe,
  mediaUrl,
  numberFrom,
  open,
  text,
} from './fields.ts'
import { anchors, captionAnimations } from './names.ts'

/** Project subtitles: the present form, and the older flat `styles`. */

function closed(title: string) {
  return { title, additionalProperties: false } as const
}

const Word = Type.Object(
  {
    start: open(numberFrom(0)),
    end: open(numberFrom(0)),
    text: open(text(100, 1)),
  },
  closed('a word'),
)

const Caption = Type.Object(
  {
    start: open(numberFrom(0)),
    end: open(numberFrom(0)),
    text: open(text(1000, 1)),
    words: maybe(Type.Array(Word)),
  },
  closed('a caption'),
)

const ActiveWord = Type.Object(
  { color: maybe(color), background: maybe(color), radius: maybe(numberFrom(0, 200)) },
  closed('an activeWord object'),
)

const family = maybe(text(100, 1))
const fontSize = maybe(numberFrom(1, 1000))
const transform = maybe(Type.Enum(['none', 'uppercase', 'lowercase', 'capitalize']))
const captionMode = maybe(Type.Enum(captionAnimations))
const direction = maybe(Type.Enum(['up', 'down', 'left', 'right']))
const captionPosition = maybe(Type.Enum([...anchors, 'top', 'center', 'bottom']))

const Styles = Type.Object(
  {
    color: maybe(color),
    background: maybe(color),
    backgroundPadding: maybe(numberFrom(0, 200)),
    backgroundRadius: maybe(numberFrom(0, 200)),
    isBold: maybe(Type.Boolean()),
    isItalic: maybe(Type.Boolean()),
    fontSize,
    fontFamily: family,
    textTransform: transform,
    outline: maybe(
      Type.Object(
        { width: maybe(numberFrom(0, 100)), color: maybe(color) },
        closed('an outline object'),
      ),
    ),
    position: captionPosition,
    marginV: maybe(Type.Number()),
    marginH: maybe(Type.Number()),
    mode: captionMode,
    slideDirection: direction,
    activeWord: maybe(ActiveWord),
  },
  closed('a styles object'),
)

export const Subtitle = Type.Object(
  {
    src: maybe(mediaUrl),
    captions: maybe(Type.Array(Caption)),
    maxWordsPerLine: maybe(integerFrom(1, 20)),
    animation: captionMode,
    direction,
    font: maybe(
      Type.Object(
        {
          family,
          size: fontSize,
          color: maybe(color),
          bold: maybe(Type.Boolean()),
          italic: maybe(Type.Boolean()),
          transform,
        },
        closed('a font object'),
      ),
    ),
    stroke: maybe(
      Type.Object(
        { color: maybe(color), width: maybe(numberFrom(0, 100)) },
        closed('a stroke object'),
      ),
    ),
    background: maybe(
      Type.Object(
        {
          color: maybe(color),
          opacity: maybe(numberFrom(0, 1)),
          padding: maybe(numberFrom(0, 200)),
          radius: maybe(numberFrom(0, 200)),
        },
        closed('a background object'),
      ),
    ),
    activeWord: maybe(ActiveWord),
    position: captionPosition,
    margin: maybe(
      Type.Object({ x: maybe(Type.Number()), y: maybe(Type.Number()) }, closed('a margin object')),
    ),
    styles: maybe(Styles),
  },
  {
    $id: 'Subtitle',
    ...closed('a subtitle object'),
    oneOf: [{ required: ['src'] }, { required: ['captions'] }],
  },
)

export type FilledSubtitle = Filled<Static<typeof Subtitle>>
