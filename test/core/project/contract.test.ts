import test from 'ava'
import { requestJsonSchema } from '../../../core/project/schema/publish.ts'

/**
 * Properties of the service's contract, written out here, so that accidental additions and
 * omissions in a schema fail.
 */

type Schema = {
  readonly type?: string
  readonly properties?: Record<string, Schema>
  readonly additionalProperties?: unknown
  readonly title?: string
  readonly [key: string]: unknown
}

const published = requestJsonSchema('render-request')
const parts = published.$defs as Record<string, Schema>

const words = (text: string) => text.trim().split(/\s+/).toSorted()

const shared = `type x y width height position anchor resize enterBegin enterEnd exitBegin exitEnd
  opacity angle flipV flipH track enterAnimation exitAnimation condition`
const picture = `${shared} src cropParams filter chromaKey zoom radius`
const project = `type name resolution width height outputFormat backgroundColor visuals variables`

const contract: Record<string, string> = {
  RenderOverrides: `name width height outputFormat frameRate backgroundColor snapshotTime quality
    transparent resolution`,
  VideoProject: `${project} duration durationMode frameRate audios scenes thumbnail subtitle`,
  ImageProject: `${project} snapshotTime quality transparent`,
  ImageVisual: picture,
  GifVisual: picture,
  VideoVisual: `${picture} id videoBegin videoEnd videoDuration volume speed transition
    transitionDuration transitionId frameRate hasAudio`,
  TextVisual: `${shared} text html style customCode designer`,
  SvgVisual: `${shared} svg filter chromaKey customCode designer`,
  AudioItem: `src matchDuration enter exit volume speed audioBegin audioEnd audioDuration track
    condition`,
  Scene: `id duration transition transitionId transitionDuration backgroundColor visuals audios
    variables condition iterate iterateAs`,
  CropParams: 'x y width height',
  ChromaKey: 'color similarity blend',
  Filter: 'brightness contrast saturate hue-rotate blur invert colorTint',
  Radius: 'tl tr bl br',
  CustomCode: 'css js animationDuration',
}

test('a render request has the properties of the contract', (t) => {
  const { properties, additionalProperties } = published as Schema
  const known = words('payload template variables overrides webhookUrl jobId')
  t.deepEqual(Object.keys(properties ?? {}).toSorted(), known)
  t.false(additionalProperties)
})

for (const [name, properties] of Object.entries(contract)) {
  test(`${name} has the properties of the contract`, (t) => {
    t.deepEqual(Object.keys(parts[name]?.properties ?? {}).toSorted(), words(properties))
  })
}

/** Objects whose keys are the customer's own. */
const free = new Set(['Designer', 'Style', 'variables'])

test('every other object takes no property but its own', (t) => {
  const closed: string[] = []
  const walk = (schema: unknown, name: string) => {
    if (typeof schema !== 'object' || schema === null) return
    const { type, additionalProperties, title } = schema as Schema
    if (type === 'object' && !free.has(name)) {
      t.false(additionalProperties, name)
      closed.push(title ?? name)
    }
    for (const [key, inner] of Object.entries(schema)) walk(inner, key)
  }
  walk(published, 'RenderRequest')
  t.true(closed.length >= 25, closed.join(', '))
})
