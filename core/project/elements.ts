import { visualTypes } from '../visuals/visual-types.ts'
import { describe, isRecord } from './check.ts'
import { AudioItem, Scene } from './schema/project.ts'
import { Subtitle } from './schema/subtitle.ts'

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
  ...Object.entries(visualTypes).map(([type, { schema, summary, example }]) => {
    return { type, summary, place: visualsPlace, example, fields: fieldsOf(schema as Fields) }
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
