import { Type } from 'typebox'
import { color, integerFrom, maybe, numberFrom, open, text } from './fields.ts'

/** Small objects inside visuals. */

export const CropParams = Type.Object(
  {
    x: open(numberFrom(0)),
    y: open(numberFrom(0)),
    width: open(numberFrom(1)),
    height: open(numberFrom(1)),
  },
  { $id: 'CropParams', title: 'a cropParams object', additionalProperties: false },
)

export const ChromaKey = Type.Object(
  {
    color: open(color),
    similarity: maybe(numberFrom(0, 100)),
    blend: maybe(numberFrom(0, 100)),
  },
  { $id: 'ChromaKey', title: 'a chromaKey object', additionalProperties: false },
)

const percent = Type.Number({ minimum: -100, maximum: 100 })

export const Filter = Type.Object(
  {
    brightness: maybe(percent),
    contrast: maybe(percent),
    saturate: maybe(percent),
    'hue-rotate': maybe(
      Type.String({
        pattern: '^-?(?:[0-9]+(?:\\.[0-9]+)?|\\.[0-9]+)(?:deg)?$',
        maxLength: 32,
        title: 'degrees in a string like "90" or "-90deg"',
      }),
    ),
    blur: maybe(
      Type.Union([
        numberFrom(0, 100),
        Type.String({
          pattern: '^\\+?0*(?:100(?:\\.0*)?|[0-9]{1,2}(?:\\.[0-9]*)?|\\.[0-9]+)$',
          maxLength: 32,
          title: 'a numeric string from 0 to 100',
        }),
      ]),
    ),
    invert: maybe(Type.Union([Type.Boolean(), numberFrom(0, 1)])),
    colorTint: maybe(color),
  },
  { $id: 'Filter', title: 'a filter', additionalProperties: false },
)

const corner = maybe(numberFrom(0))

export const Radius = Type.Object(
  { tl: corner, tr: corner, bl: corner, br: corner },
  { $id: 'Radius', title: 'a radius object', additionalProperties: false },
)

export const Zoom = Type.Union([
  Type.Boolean(),
  Type.Object(
    { depth: open(numberFrom(1, 10)) },
    { title: 'a zoom object', additionalProperties: false },
  ),
])

const code = maybe(text(200_000))

export const CustomCode = Type.Object(
  {
    css: code,
    js: code,
    animationDuration: maybe(Type.Number({ exclusiveMinimum: 0, maximum: 15 })),
  },
  { $id: 'CustomCode', title: 'a customCode object', additionalProperties: false },
)

/** Round-trip data of a design editor: opaque, never rendered, its placeholders left alone. */
export const Designer = Type.Unsafe<Record<string, unknown>>({ $id: 'Designer', type: 'object' })

/** Longest `designer` object, in characters of its JSON. */
export const designerMaxLength = 200_000

const styleName = '^(?:--[A-Za-z0-9_-]+|-?[A-Za-z][A-Za-z0-9-]*)$'

export const Style = Type.Unsafe<Record<string, string | number>>({
  $id: 'Style',
  title: 'a style object of CSS properties',
  type: 'object',
  maxProperties: 120,
  propertyNames: { pattern: styleName, title: 'a CSS property name' },
  additionalProperties: Type.Union([text(4000), Type.Number()]),
})

export const track = integerFrom(0, 1_000_000)
