import test from 'ava'
import { nestedIn } from '../../../core/project/element-fields.ts'
import { elements, parts } from '../../../core/project/elements.ts'
import { RenderRequest } from '../../../core/project/schema/request.ts'

const all = [...elements, ...parts]
const types = new Set(all.map(({ type }) => type))

type Fields = { readonly properties: Readonly<Record<string, object>> }

/** Every object with fields that a request may hold, by its title. */
function objectsIn(schema: object, found = new Map<string, Fields>()): Map<string, Fields> {
  for (const nested of nestedIn(schema)) {
    if (!('properties' in nested) || !('title' in nested)) continue
    if (found.has(String(nested.title))) continue
    found.set(String(nested.title), nested as Fields)
    for (const field of Object.values((nested as Fields).properties)) objectsIn(field, found)
  }
  return found
}

test('every field of every object of the language is in a part', (t) => {
  const objects = objectsIn(RenderRequest)
  t.true(objects.size >= 25, [...objects.keys()].join())
  const names = all.flatMap(({ fields }) =>
    fields.map(({ name }) => name.split(/\.|\[\]\./).at(-1)),
  )
  const described = all.map(({ fields }) => fields.map(({ name }) => name))
  for (const [title, { properties }] of objects) {
    const keys = Object.keys(properties)
    t.true(
      keys.every((key) => names.includes(key)),
      title,
    )
    const isTogether = described.some((known) => {
      const paths = known.filter((name) => name === keys[0] || name.endsWith(`.${keys[0]}`))
      return paths.some((path) => {
        const before = path.slice(0, path.length - String(keys[0]).length)
        return keys.every((key) => known.includes(`${before}${key}`))
      })
    })
    t.true(isTogether, `${title}: ${keys.join()}`)
  }
})

test('a rule that hides fields names the part to read', (t) => {
  for (const { type, fields } of all) {
    for (const { name, rule, parts: named } of fields) {
      for (const each of named) t.true(types.has(each), `${type}.${name}: ${each}`)
      t.false(named.includes(type), `${type}.${name}`)
      const hides = /^(?:an array|an object|any value|.* (?:object|filter|project)\b.*)$/.test(rule)
      const isUnfolded = fields.some((other) => /^(?:\[\])?\./.test(other.name.replace(name, '')))
      const isOwn = name.toUpperCase().startsWith(type.slice(0, 8).replace('_', ''))
      t.true(!hides || named.length > 0 || isUnfolded || isOwn, `${type}.${name}: ${rule}`)
    }
  }
})

test('the parts that an agent asks about are there, with rules', (t) => {
  for (const type of [
    ...['REQUEST', 'PROJECT', 'STILL', 'OVERRIDES', 'VARIABLES', 'CONDITION', 'ITERATE'],
    ...['FILTER', 'CROP_PARAMS', 'CHROMA_KEY', 'ZOOM', 'RADIUS', 'STYLE', 'CUSTOM_CODE'],
    ...['CAPTIONS', 'FONT', 'CAPTION_LOOK', 'ANIMATION', 'TRANSITION', 'POSITION', 'RESOLUTION'],
  ]) {
    t.true(types.has(type), type)
  }
  t.is(types.size, all.length)
  for (const { type, fields, notes, summary } of all) {
    t.true(fields.length + notes.length > 0, type)
    t.true(notes.length > 0 && summary.length > 0, type)
  }
})

test('a rule states the limits of texts and open ranges', (t) => {
  const rule = (type: string, field: string) =>
    all.find((each) => each.type === type)?.fields.find(({ name }) => name === field)?.rule
  t.is(rule('CAPTIONS', 'words[].text'), 'a string of at most 100 characters')
  t.is(rule('CUSTOM_CODE', 'animationDuration'), 'a number > 0 and <= 15')
  t.is(rule('CAPTION_LOOK', 'stroke.width'), 'a number from 0 to 100')
})
