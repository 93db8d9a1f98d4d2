import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import sharp from 'sharp'
import { libraryOf } from '../../../api/authoring/catalogue.ts'
import { createSheetPainter, sheetMost } from '../../../api/authoring/examples-sheet.ts'
import { createFarmClient } from '../../../client/farm-client.ts'
import { connect, listen } from '../agent/host.ts'
import { type Gateway, startGateway } from '../gateway.ts'

let gateway: Gateway
let url: URL

test.before(async () => {
  gateway = await startGateway()
  url = await listen(gateway)
})
test.after.always(() => gateway?.stop())

const path = '/api/library/examples/sheet'
const maxBytes = 27_000

test('the sheet shows the found examples in the order of the list', async (t) => {
  const { server } = gateway
  const { items } = (await server.inject('/api/library/examples?q=still&pageSize=4')).json()
  const reply = await server.inject(`${path}?q=still&limit=4`)
  t.is(reply.headers['content-type'], 'image/jpeg')
  t.true(reply.rawPayload.length <= maxBytes)
  const sheet = sharp(reply.rawPayload)
  const { width, height } = await sheet.metadata()
  t.deepEqual([width, height], [4 * 168 + 8, 196])
  for (const [i, { slug }] of items.entries()) {
    const square = { left: 8 + i * 168, top: 8, width: 160, height: 160 }
    const seen = await sheet.clone().extract(square).raw().toBuffer()
    const picture = sharp(readFileSync(`examples/thumbnails/${slug}.jpg`))
    const fitted = { width: 160, height: 160, fit: 'contain', background: '#16181d' } as const
    const wanted = await picture.resize(fitted).raw().toBuffer()
    const difference = wanted.reduce((sum, value, at) => sum + Math.abs(value - (seen[at] ?? 0)), 0)
    t.true(difference / wanted.length < 6, `${slug}: ${difference / wanted.length}`)
    const label = { left: 8 + i * 168, top: 170, width: 160, height: 24 }
    const { channels } = await sharp(await sheet.clone().extract(label).toBuffer()).stats()
    t.true((channels[0]?.max ?? 0) > 200, `${slug} has no label`)
  }
})

test('the heaviest and the whole sheet of examples fit 27,000 bytes', async (t) => {
  const library = libraryOf({ publicUrl: 'https://farm.example.com', trustedHosts: [] })
  const { examples } = library().items
  const bytesOf = (slug: string) => readFileSync(`examples/thumbnails/${slug}.jpg`).length
  const heaviest = examples.toSorted((a, b) => bytesOf(b.slug) - bytesOf(a.slug))
  const painter = createSheetPainter(library)
  for (const list of [heaviest.slice(0, sheetMost), examples.slice(0, sheetMost), examples]) {
    const jpeg = await painter.paint(list)
    t.true(jpeg.length <= maxBytes, `${list.length} examples: ${jpeg.length}`)
    t.is(await painter.paint(list), jpeg, 'the same list is drawn once')
  }
})

test('a sheet of no example and other limits are refused', async (t) => {
  const { server } = gateway
  const none = await server.inject(`${path}?q=zebra`)
  t.is(none.statusCode, 404)
  t.regex(
    none.json().detail,
    /An example must have all words of q, and the aspect\. Got \{"q":"zebra"\}/,
  )
  t.is((await server.inject(`${path}?limit=13`)).statusCode, 400)
  t.is((await server.inject(`${path}?limit=0`)).statusCode, 400)
})

test('find_examples answers words and one picture, as the client gets it', async (t) => {
  const { key } = await gateway.customer()
  const { client } = await connect(url, { headers: { 'x-api-key': key } })
  const farm = createFarmClient({ url: url.origin, apiKey: key })
  for (const query of [undefined, 'still']) {
    const { content } = await client.callTool({
      name: 'find_examples',
      arguments: query === undefined ? {} : { query },
    })
    const [words, picture, ...more] = content as { type: string; text: string; data: string }[]
    t.deepEqual([words?.type, picture?.type, more.length], ['text', 'image', 0])
    t.true((picture?.data.length ?? 0) <= 36_000)
    const sheet = await farm.authoring.examplesSheet(query === undefined ? {} : { q: query })
    t.is(picture?.data, Buffer.from(sheet).toString('base64'))
    const lines = words?.text.split('\n') ?? []
    t.is(lines.length, query === undefined ? sheetMost : 6)
    t.true(lines.every((line) => /^- [\w-]+: /.test(line)))
  }
})

test('find_examples finds by aspect, and shows the same on the picture', async (t) => {
  const { key } = await gateway.customer()
  const { call } = await connect(url, { headers: { 'x-api-key': key } })
  const farm = createFarmClient({ url: url.origin, apiKey: key })
  const seen: string[] = []
  for (const [aspect, fits] of [
    ['portrait', (w: number, h: number) => w < h],
    ['landscape', (w: number, h: number) => w > h],
    ['square', (w: number, h: number) => w === h],
  ] as const) {
    const { text } = await call('find_examples', { aspect })
    const sizes = [...text.matchAll(/^- [\w-]+: .*?\(\w+, (\d+)x(\d+)\)/gm)]
    t.true(sizes.length > 0, aspect)
    for (const [, w, h] of sizes) t.true(fits(Number(w), Number(h)), aspect)
    const sheet = await farm.authoring.examplesSheet({ aspect })
    seen.push(Buffer.from(sheet).toString('base64'))
  }
  t.is(new Set(seen).size, 3)
  const wrong = await call('find_examples', { aspect: 'round' })
  t.regex(wrong.text, /aspect: must be one of landscape, portrait, square\. Got "round"/)
  t.is((await gateway.server.inject(`${path}?aspect=round`)).statusCode, 400)
})

test('a service that draws no sheet loads neither canvas nor sharp', (t) => {
  const server = join(import.meta.dirname, '..', '..', '..', 'api', 'server.ts')
  const code = `import { registerHooks } from 'node:module'
    registerHooks({ load(url, context, next) {
      if (/node_modules\\/(sharp|@napi-rs\\/canvas)\\//.test(url)) console.log(url)
      return next(url, context)
    } })
    await import(${JSON.stringify(server)})`
  const args = ['--input-type=module', '--eval', code]
  t.is(execFileSync(process.execPath, args, { encoding: 'utf8' }), '')
})
