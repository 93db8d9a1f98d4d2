import test from 'ava'
import json from 'vscode-json-languageservice'
import { bundledFamilies } from '../../../core/looks/families.ts'
import { animationNames, positions, resolutions } from '../../../core/project/schema/names.ts'
import { requestJsonSchema } from '../../../core/project/schema/publish.ts'

/** Reads the published schema as an editor does, by the language service of VS Code. */

const { getLanguageService, TextDocument } = json
const service = getLanguageService({})
service.configure({
  schemas: [{ uri: 'farm:project', fileMatch: ['*'], schema: requestJsonSchema('project') }],
})

/** Completes at `|`. */
async function offeredAt(marked: string): Promise<string[]> {
  const at = marked.indexOf('|')
  const text = marked.replace('|', '')
  const document = TextDocument.create('farm:file', 'json', 1, text)
  const parsed = service.parseJSONDocument(document)
  const list = await service.doComplete(document, document.positionAt(at), parsed)
  return (list?.items ?? []).map(({ label }) => label)
}

async function hoverAt(marked: string): Promise<string> {
  const at = marked.indexOf('|')
  const document = TextDocument.create('farm:file', 'json', 1, marked.replace('|', ''))
  const parsed = service.parseJSONDocument(document)
  const hover = await service.doHover(document, document.positionAt(at), parsed)
  return JSON.stringify(hover?.contents ?? '')
}

test('every field of the published schema has a description', (t) => {
  let fields = 0
  const visit = (schema: unknown, path: string) => {
    if (typeof schema !== 'object' || schema === null) return
    const { properties } = schema as { properties?: Record<string, { description?: string }> }
    for (const [key, field] of Object.entries(properties ?? {})) {
      fields += 1
      t.regex(field.description ?? '', /^.{6,}[.!?]$/, `${path}.${key}`)
    }
    for (const [key, inner] of Object.entries(schema)) visit(inner, `${path}.${key}`)
  }
  visit(requestJsonSchema('render-request'), '')
  t.true(fields > 200, `${fields} fields`)
})

test('an editor offers the types of a visual', async (t) => {
  const offered = await offeredAt('{ "visuals": [{ "type": | }] }')
  t.deepEqual(offered.filter((each) => !['{}', '""'].includes(each)).toSorted(), [
    '"GIF"',
    '"IMAGE"',
    '"SVG"',
    '"TEXT"',
    '"VIDEO"',
  ])
})

test('an editor offers the fields of the type that was chosen', async (t) => {
  const offered = await offeredAt('{ "visuals": [{ "type": "TEXT", "|" }] }')
  for (const key of ['text', 'html', 'style', 'customCode']) t.true(offered.includes(key), key)
  for (const key of ['src', 'videoBegin', 'svg']) t.false(offered.includes(key), key)
})

for (const [field, names, marked] of [
  ['an animation', animationNames, '{ "visuals": [{ "type": "TEXT", "enterAnimation": | }] }'],
  ['a position', positions, '{ "visuals": [{ "type": "TEXT", "position": | }] }'],
  ['a resolution', resolutions, '{ "resolution": | }'],
  [
    'a font of a text',
    bundledFamilies,
    '{ "visuals": [{ "type": "TEXT", "style": { "fontFamily": | } }] }',
  ],
  ['a font of a subtitle', bundledFamilies, '{ "subtitle": { "font": { "family": | } } }'],
] as const) {
  test(`an editor offers every name of ${field}`, async (t) => {
    const offered = await offeredAt(marked)
    for (const name of names) t.true(offered.includes(JSON.stringify(name)), name)
  })
}

test('an editor tells what a field means, its rule and its notes', async (t) => {
  const opacity = await hoverAt('{ "visuals": [{ "type": "TEXT", "opa|city": 1 }] }')
  t.regex(opacity, /cannot be seen/)
  t.regex(opacity, /A number from 0 to 1/)
  const place = await hoverAt('{ "visuals": [{ "type": "TEXT", "|x": 1 }] }')
  t.regex(place, /need position custom/)
})
