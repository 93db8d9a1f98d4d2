import { visualTypes } from '../visuals/visual-types.ts'
import {
  type ElementField,
  type Fields,
  fieldsOf,
  nameOf,
  nestedIn,
  type PartNames,
} from './element-fields.ts'
import { elementNotes, partsOfFields } from './element-notes.ts'
import { type LanguagePart, languageParts } from './language-parts.ts'
import { AudioItem, Scene } from './schema/project.ts'
import { Subtitle } from './schema/subtitle.ts'

/** Elements and other parts of the language, with fields that are read from its own schema. */

export type Element = {
  readonly type: string
  readonly summary: string
  /** Position in a project. */
  readonly place: string
  readonly fields: readonly ElementField[]
  /** Rules that concern several fields. */
  readonly notes: readonly string[]
  readonly example: Readonly<Record<string, unknown>>
}

const visualsPlace = 'visuals of the project or of a scene'

const visuals = Object.entries(visualTypes).map(
  ([type, { schema, summary, example }]): LanguagePart => ({
    ...{ type, summary, place: visualsPlace, example, schemas: [schema] },
    notes: elementNotes[type] ?? [],
  }),
)

const others: readonly LanguagePart[] = [
  {
    type: 'AUDIO',
    summary: 'A sound; films only',
    place: 'audios of the project or of a scene',
    example: { src: 'https://example.com/music.mp3', volume: 0.4, matchDuration: true },
    schemas: [AudioItem],
    notes: elementNotes.AUDIO ?? [],
  },
  {
    type: 'SUBTITLE',
    summary: 'Captions over the whole film, from a file or listed in the project; films only',
    place: 'subtitle of the project',
    example: { captions: [{ start: 0, end: 2, text: 'Hello there' }], animation: 'karaoke' },
    schemas: [Subtitle],
    notes: elementNotes.SUBTITLE ?? [],
  },
  {
    type: 'SCENE',
    summary: 'A part of a film with elements of its own; scenes follow each other',
    place: 'scenes of the project',
    example: { duration: 3, transition: 'fade', visuals: [{ type: 'TEXT', text: 'One' }] },
    schemas: [Scene],
    notes: elementNotes.SCENE ?? [],
  },
]

const all = [...visuals, ...others, ...languageParts]

const names: PartNames = {
  bySchema: new Map(
    all.flatMap(({ type, schemas }) => schemas.map((schema) => [nameOf(schema), type] as const)),
  ),
  byField: new Map(Object.entries(partsOfFields)),
}

/** Built once: the schema does not change while the process runs. */
export const elements: readonly Element[] = [...visuals, ...others].map(described)

/** Describe what elements consist of and what holds them: each object of the language has a part. */
export const parts: readonly Element[] = languageParts.map(described)

/** Finds the parts that describe an object with this field, and those that describe its values. */
export function partsOf(owner: object, key: string, field: object) {
  const own = all.filter(
    ({ schemas, fields }) =>
      schemas.some((schema) => nameOf(schema) === nameOf(owner)) || fields?.[key] === field,
  )
  const named = nestedIn(field).flatMap((each) => names.bySchema.get(nameOf(each)) ?? [])
  const byField = names.byField.get(key)
  const values = all.filter(
    (part) => (named.includes(part.type) || part.type === byField) && !own.includes(part),
  )
  return { own, values }
}

function described({ type, summary, place, notes, example, schemas, fields }: LanguagePart) {
  const shown = fields ? { properties: fields } : ((schemas[0] ?? {}) as Fields)
  return {
    ...{ type, summary, place, notes, example },
    fields: fieldsOf(shown, { part: type, names }),
  }
}
