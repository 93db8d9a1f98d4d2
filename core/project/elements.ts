import { describe, isRecord } from './check.ts'
import { AudioItem, Scene } from './schema/project.ts'
import { Subtitle } from './schema/subtitle.ts'
import { Visual } from './schema/visuals.ts'

/** Fields of the language's elements, read from its own schema. */

export type ElementField = {
  readonly name: string
  readonly required: boolean
  /** The rule as errors state it. */
  readonly rule: string
  readonly placeholder: boolean
}

export type Element = {
  readonly type: string
  readonly summary: string
  /** Position in a project. */
  readonly place: string
  readonly fields: readonly ElementField[]
  readonly example: Readonly<Record<string, unknown>>
}

type Fields = {
  readonly properties: Readonly<Record<string, object>>
  readonly required?: readonly string[]
}

const visualsPlace = 'visuals of the project or of a scene'

const about: readonly (readonly [string, string, string, Record<string, unknown>])[] = [
  [
    'IMAGE',
    'A picture from a URL',
    visualsPlace,
    { type: 'IMAGE', src: 'https://example.com/a.jpg', width: 640, height: 360, resize: 'cover' },
  ],
  [
    'GIF',
    'An animated picture, repeated while it is visible; films only',
    visualsPlace,
    { type: 'GIF', src: 'https://example.com/wave.gif', position: 'bottom-right' },
  ],
  [
    'VIDEO',
    'A clip, with its sound; films only',
    visualsPlace,
    { type: 'VIDEO', src: 'https://example.com/clip.mp4', videoBegin: 2, videoEnd: 6, volume: 0.5 },
  ],
  [
    'TEXT',
    'A text, plain or as HTML with inline CSS and pictures by URL',
    visualsPlace,
    { type: 'TEXT', html: '<b>Hello</b>', style: { fontSize: '72px' }, position: 'center-center' },
  ],
  [
    'SVG',
    'A drawing as SVG markup',
    visualsPlace,
    {
      type: 'SVG',
      svg: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10"><circle cx="5" cy="5" r="5" fill="#ff7a59"/></svg>',
      ...{ width: 200, height: 200 },
    },
  ],
]

const others: readonly (readonly [string, string, string, Record<string, unknown>, object])[] = [
  [
    'AUDIO',
    'A sound; films only',
    'audios of the project or of a scene',
    { src: 'https://example.com/music.mp3', volume: 0.4, matchDuration: true },
    AudioItem,
  ],
  [
    'SUBTITLE',
    'Captions over the whole film, from a file or listed in the project; films only',
    'subtitle of the project',
    { captions: [{ start: 0, end: 2, text: 'Hello there' }], animation: 'karaoke' },
    Subtitle,
  ],
  [
    'SCENE',
    'A part of a film with elements of its own; scenes follow each other',
    'scenes of the project',
    { duration: 3, transition: 'fade', visuals: [{ type: 'TEXT', text: 'One' }] },
    Scene,
  ],
]

/** Built once: the schema does not change while the process runs. */
export const elements: readonly Element[] = [
  ...about.map(([type, summary, place, example], i) => {
    return { type, summary, place, example, fields: fieldsOf(Visual.anyOf[i] as Fields) }
  }),
  ...others.map(([type, summary, place, example, schema]) => {
    return { type, summary, place, example, fields: fieldsOf(schema as Fields) }
  }),
]

function fieldsOf({ properties, required = [] }: Fields): ElementField[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    required: required.includes(name),
    rule: Object.keys(schema).length === 0 ? 'any value' : describe(schema),
    placeholder: takesPlaceholder(schema),
  }))
}

function takesPlaceholder(schema: object): boolean {
  const branches: unknown = 'anyOf' in schema ? schema.anyOf : undefined
  return (
    Array.isArray(branches) &&
    branches.some((branch) => isRecord(branch) && branch.$id === 'Placeholder')
  )
}
