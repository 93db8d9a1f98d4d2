import test from 'ava'
import { film, type Gateway, renderPath, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

const src = 'https://cdn.example.com/a'
const caption = { start: 0, end: 1, text: 'Hello', words: [{ start: 0, end: 1, text: 'Hello' }] }

/** A request with one of each object that it may hold. */
const everything = {
  payload: {
    ...film,
    visuals: [
      {
        type: 'IMAGE',
        src,
        cropParams: { x: 0, y: 0, width: 9, height: 9 },
        filter: { blur: 1 },
        chromaKey: { color: '#0f0' },
        zoom: { depth: 2 },
        radius: { tl: 1 },
      },
      { type: 'GIF', src },
      { type: 'VIDEO', src },
      { type: 'TEXT', text: 'Hi', customCode: { css: 'b{}' } },
      { type: 'SVG', svg: '<svg/>' },
    ],
    audios: [{ src }],
    scenes: [{ duration: 1, visuals: [{ type: 'TEXT', text: 'Hi' }], audios: [{ src }] }],
    subtitle: {
      captions: [caption],
      font: { size: 20 },
      stroke: { width: 1 },
      background: { opacity: 1 },
      activeWord: { color: '#fff' },
      margin: { x: 1 },
    },
  },
  overrides: { width: 320 },
}

/** The objects in a value, by their path in the project. */
function objectsIn(value: unknown, path: string): [Record<string, unknown>, string][] {
  if (Array.isArray(value)) {
    return value.flatMap((item, i) => objectsIn(item, `${path}[${i}]`))
  }
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.entries(value).flatMap(([key, each]) =>
    objectsIn(each, path === '' || path === 'payload' ? key : `${path}.${key}`),
  )
  return [[value as Record<string, unknown>, path], ...inner]
}

test('properties beyond the contract are refused by path in every request object', async (t) => {
  const { post } = await gateway.customer()
  const body = structuredClone(everything)
  const places: string[] = []
  for (const [object, path] of objectsIn(body, '')) {
    object.extra = 1
    places.push(path === '' || path === 'payload' ? 'extra' : `${path}.extra`)
  }
  t.true(places.length >= 23, places.join(' '))
  const asked = [renderPath, '/api/render/validate/api-key']
  for (const path of asked) {
    const reply = await post(path, body)
    t.is(reply.statusCode, 400)
    const refused = reply.json().details as { field: string; message: string }[]
    const fields = refused.filter(({ message }) => message.includes('not a property'))
    t.deepEqual(fields.map(({ field }) => field).toSorted(), places.toSorted(), path)
  }
})

test('properties that an image may not have are refused by name', async (t) => {
  const { post } = await gateway.customer()
  const times = {
    duration: 1,
    durationMode: 'auto',
    frameRate: 30,
    audios: [],
    scenes: [],
    thumbnail: src,
    subtitle: { captions: [caption] },
  }
  const reply = await post(renderPath, { payload: { type: 'image', ...times } })
  t.is(reply.statusCode, 400)
  const fields = reply.json().details.map(({ field }: { field: string }) => field)
  t.deepEqual(fields.toSorted(), Object.keys(times).toSorted())
})
