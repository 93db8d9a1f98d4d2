import { readdirSync } from 'node:fs'
import test from 'ava'
import { sql } from 'kysely'
import { libraryOf } from '../../../api/authoring/catalogue.ts'
import { plans } from '../../../core/accounts/plans.ts'
import { repairPayload } from '../../../core/project/repair/repair.ts'
import { presets } from '../../../core/project/schema/names.ts'
import { bearer, signIn } from '../accounts.ts'
import { film, type Gateway, startGateway } from '../gateway.ts'

let gateway: Gateway

test.before(async () => {
  gateway = await startGateway()
})
test.after.always(() => gateway?.stop())

const read = async (url: string) => (await gateway.server.inject(url)).json()
/** The path of an address of this service. */
const pathOf = (url: string) => new URL(url).pathname

type Item = { slug: string; thumbnail: string; contentUrl: string }

async function studio() {
  const made = await gateway.customer()
  await sql`update accounts set plan = 'studio' where id = ${made.accountId}`.execute(gateway.db)
  return made
}

test('every example has words, a small picture, and a project that validates', async (t) => {
  const { post } = await studio()
  const { items, total } = await read('/api/library/examples')
  const folders = readdirSync('examples', { recursive: true })
    .map(String)
    .filter((each) => /^[\w-]+\/project\.json$/.test(each))
  t.deepEqual(items.map(({ slug }: Item) => `${slug}/project.json`).toSorted(), folders.toSorted())
  t.is(total, items.length)
  for (const { slug, thumbnail, contentUrl } of items) {
    const picture = await gateway.server.inject(pathOf(thumbnail))
    t.is(picture.headers['content-type'], 'image/jpeg', slug)
    t.true(picture.rawPayload.length > 1000 && picture.rawPayload.length < 40_000, slug)
    const payload = await read(pathOf(contentUrl))
    t.is(repairPayload(payload, plans.studio).changes.length, 0)
    const verdict = await post('/api/render/validate/api-key', { payload })
    t.is(verdict.statusCode, 200, `${slug}: ${verdict.body}`)
  }
})

test('an example’s table names its media by addresses that are served', async (t) => {
  const rows = await gateway.server.inject('/api/library/examples/invitations/rows')
  t.is(rows.headers['content-type'], 'text/csv; charset=utf-8')
  const urls = rows.body.match(/https:\/\/[^,\s]+/g) ?? []
  t.is(urls.length, 5)
  for (const url of urls) {
    const file = await gateway.server.inject(pathOf(url))
    t.is(file.headers['content-type'], 'image/jpeg', url)
  }
  for (const item of ['examples/launch', 'shapes/circle']) {
    t.is((await gateway.server.inject(`/api/library/${item}/rows`)).statusCode, 404, item)
  }
})

test('media that an example names are served, and no other file is', async (t) => {
  const text = JSON.stringify(await read('/api/library/examples/launch/content'))
  const [url = ''] =
    /https:\/\/farm\.example\.com\/api\/library\/media\/[^"]+\.jpg/.exec(text) ?? []
  const file = await gateway.server.inject(pathOf(url))
  t.is(file.headers['content-type'], 'image/jpeg')
  t.is(file.rawPayload.subarray(0, 2).toString('hex'), 'ffd8')
  for (const path of ['launch/project.json', '..%2Fpackage.json', 'media/none.mp4', 'media']) {
    t.is((await gateway.server.inject(`/api/library/media/${path}`)).statusCode, 404, path)
  }
})

test('examples with media not fetchable from the farm are left out', (t) => {
  const slugs = (publicUrl: string) =>
    libraryOf({ publicUrl, trustedHosts: [] })().items.examples.map(({ slug }) => slug)
  const local = slugs('http://127.0.0.1:8080')
  t.true(local.includes('product-promo'))
  t.false(local.includes('launch'))
  t.true(slugs('https://farm.example.com').includes('launch'))
})

test('shapes and design templates validate as visuals; presets are the language’s', async (t) => {
  const { post } = await studio()
  for (const kind of ['shapes', 'design-templates', 'canvas-presets']) {
    const { items } = await read(`/api/library/${kind}`)
    t.true(items.length >= 6, kind)
    for (const { slug, thumbnail } of items) {
      const picture = await gateway.server.inject(pathOf(thumbnail))
      t.regex(String(picture.headers['content-type']), /^image\//, slug)
      const content = await read(`/api/library/${kind}/${slug}/content`)
      const payload =
        kind === 'canvas-presets' ? { ...film, ...content } : { ...film, visuals: [content] }
      const verdict = await post('/api/render/validate/api-key', { payload })
      t.is(verdict.statusCode, 200, `${slug}: ${verdict.body}`)
    }
    if (kind !== 'canvas-presets') continue
    t.deepEqual(
      items.map(({ slug }: Item) => slug),
      Object.keys(presets),
    )
  }
})

test('the library is searched by words and read page by page', async (t) => {
  const found = await read('/api/library/examples?q=PRICE%20menu')
  t.deepEqual(
    found.items.map(({ slug }: Item) => slug),
    ['price-list'],
  )
  const [item] = found.items
  t.like(item, { id: 'price-list', name: 'Price list', title: 'Price list', premium: false })
  t.is(item.meta.thumbnail, item.thumbnail)
  t.deepEqual(await read('/api/library/examples/price-list'), item)
  const page = await read('/api/library/shapes?q=&limit=2&offset=3')
  t.like(page, { kind: 'shapes', limit: 2, offset: 3 })
  const all = await read('/api/library/shapes')
  t.deepEqual(page.items, all.items.slice(3, 5))
  t.is(page.total, all.total)
  for (const path of ['examples/none', 'examples/none/content', 'shapes/none/thumbnail']) {
    t.is((await gateway.server.inject(`/api/library/${path}`)).statusCode, 404, path)
  }
  t.is((await gateway.server.inject('/api/library/films')).statusCode, 400)
})

const plan = '/api/render/creative-plan/api-key'

test('a creative plan is the example nearest to the brief', async (t) => {
  const { get, post } = await gateway.customer()
  for (const [brief, slug] of [
    ['A menu with the prices of our café', 'price-list'],
    ['Invitations for a wedding party', 'invitations'],
    ['Sell our house: a tour of the rooms', 'listing-reel'],
  ] as const) {
    const reply = await post(plan, { brief })
    t.is(reply.statusCode, 200, reply.body)
    const made = reply.json()
    t.is(made.example.slug, slug)
    t.like(made, { kind: 'example-plan', decision: 'adapt-example', valid: true, brief })
    t.regex(made.method, /No language model was used/)
    const { payload } = made
    const verdict = (await post('/api/render/validate/api-key', { payload })).json()
    t.is(verdict.creditsRequired, made.creditsRequired)
    t.deepEqual((await post(plan, { brief })).json(), made)
  }
  t.is((await get('/api/jobs')).json().total, 0)
  t.is((await get('/api/credits/balance')).json().reserved, 0)
})

test('a plan heeds form, type, seed and recent assets, naming unheeded options', async (t) => {
  const { accountId, post } = await gateway.customer()
  const brief = 'Product launch promo'
  const first = (await post(plan, { brief, style: 'bold', duration: 15, brand: {} })).json()
  t.deepEqual(first.notUsed.toSorted(), ['brand', 'duration', 'style'])
  const next = (await post(plan, { brief, recentAssetSlugs: [first.example.slug] })).json()
  t.not(next.example.slug, first.example.slug)
  const still = (await post(plan, { brief, type: 'image' })).json()
  t.is(still.payload.type, 'image')
  const options = { brief: 'Something else entirely', variationMode: 'explore', exploreCount: 2 }
  t.is((await post(plan, options)).json().candidates.length, 2)
  t.is((await post(plan, { brief: 'qqq www', aspectRatio: '9:16' })).json().decision, 'no-match')
  for (const body of [
    {},
    { brief: 'a' },
    { brief, colour: 'red' },
    { brief, aspectRatio: 'wide' },
  ]) {
    t.is((await post(plan, body)).statusCode, 400)
  }
  const headers = bearer((await signIn(gateway, accountId)).accessToken)
  const url = '/api/render/creative-plan'
  const signedIn = await gateway.server.inject({ method: 'POST', url, headers, body: { brief } })
  t.is(signedIn.statusCode, 200)
})
