import test, { type ExecutionContext } from 'ava'
import sharp from 'sharp'
import { Value } from 'typebox/value'
import { bakeNeeds } from '../../../core/plan/needs.ts'
import { BakeResult } from '../../../core/queue/tasks.ts'
import { type Facts, mediaKey } from '../../../core/timeline/facts.ts'
import type { BakedPicture } from '../../../worker/bake/paint.ts'
import { projectOf, textOf } from '../../core/project-of.ts'
import { serveMedia } from '../../farm/running-farm.ts'
import { pixelsOf } from '../bake/baking.ts'
import { momentOf } from '../bake/coded.ts'
import { nodeOf, objectsOf, runOn } from './node-of.ts'

type Text = Parameters<typeof textOf>[0]
type Picture = { readonly file: Buffer; readonly width: number; readonly height: number }

const plain = (width: number, height: number, background: string) =>
  sharp({ create: { width, height, channels: 4, background } })

const flat = async (width: number, height: number, background: string): Promise<Picture> => {
  return { width, height, file: await plain(width, height, background).png().toBuffer() }
}

const urlOf = (name: string) => `https://cdn.example.com/${name}.png`

/** Paints texts on a real node; `{name}` is one of the pictures. */
async function bakeOn(
  t: ExecutionContext,
  { pictures, texts }: { pictures: Record<string, Picture>; texts: Text[] },
) {
  const objects = await objectsOf(t)
  const node = await nodeOf(t)
  const media: Facts['media'] = new Map(
    Object.entries(pictures).map(([name, { file, width, height }]) => {
      const facts = { kind: 'image', format: 'png', width, height, hasAlpha: true } as const
      const key = mediaKey({ expect: 'image', url: urlOf(name) })
      return [key, { digest: objects.add(file), facts }] as const
    }),
  )
  const visuals = texts.map((text, i) => {
    const names = [...(text?.html ?? '').matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
    const html = text?.html?.replace(/\{(\w+)\}/g, (_, name: string) => urlOf(name)) ?? ''
    return textOf({
      ...text,
      field: `visuals[${i}]`,
      html,
      pictures: [...new Set(names.map(urlOf))],
    })
  })
  const project = projectOf({ width: 640, height: 360, duration: 1, visuals })
  const documents = bakeNeeds(project, media)
  t.is(documents.length, texts.length)
  objects.objects.set('documents', Buffer.from(JSON.stringify(documents)))
  const bake = () =>
    runOn(node, objects, {
      kind: 'bake',
      spec: { count: documents.length },
      outputs: documents.map((_, i) => `bake-${i}`),
    })
  const { outcome } = await bake()
  const bakes = outcome.done ? Value.Parse(BakeResult, outcome.result).bakes : []
  const painted = bakes.map((facts, i) => {
    return { ...facts, png: objects.objects.get(`bake-${i}`) ?? Buffer.alloc(0) }
  })
  return { documents, outcome, painted, bake }
}

const red = [220, 30, 30, 255]
const blue = [20, 40, 200, 255]

test('pictures by URL take their own size and are painted unchanged', async (t) => {
  const pictures = {
    logo: await flat(40, 20, '#dc1e1e'),
    badge: await flat(16, 16, '#1428c8'),
    faint: await flat(30, 10, 'rgba(0, 255, 0, 0.5)'),
  }
  const { outcome, painted } = await bakeOn(t, {
    pictures,
    texts: [
      { html: '<div style="display:flex;gap:10px"><img src="{logo}"><img src="{badge}"></div>' },
      { html: '<img src="{logo}" width="120" style="border-radius:30px">' },
      { html: '<img src="{faint}">' },
      { html: '<img src="{logo}"><br><img src="{logo}">', style: { fontSize: '0' } },
    ],
  })
  t.true(outcome.done, JSON.stringify(outcome))
  const [row, round, faint, twice] = painted
  if (!row || !round || !faint || !twice) return t.fail('four texts have four pictures')
  t.deepEqual([row.width, row.height], [66, 20])
  const inRow = await pixelsOf(row)
  t.deepEqual([inRow(20, 10), inRow(58, 8), inRow(45, 10)], [red, blue, [0, 0, 0, 0]])
  t.is(round.width, 120)
  const inRound = await pixelsOf(round)
  t.deepEqual([inRound(60, 30), inRound(1, 1)], [red, [0, 0, 0, 0]])
  t.deepEqual((await pixelsOf(faint))(15, 5), [0, 255, 0, 128])
  const inTwice = await pixelsOf(twice)
  t.deepEqual([inTwice(20, 10), inTwice(20, 30)], [red, red])
  t.deepEqual(
    painted.map(({ warnings }) => warnings),
    [[], [], [], []],
  )
})

test('a picture in html is turned and coloured as an IMAGE is', async (t) => {
  // Red on the left; turned by its EXIF a quarter to the right, red is on top.
  const file = await plain(40, 20, '#1428c8')
    .composite([{ input: await plain(20, 20, '#dc1e1e').png().toBuffer(), left: 0, top: 0 }])
    .flatten()
    .withMetadata({ orientation: 6 })
    .jpeg({ quality: 100, chromaSubsampling: '4:4:4' })
    .toBuffer()
  const avif = await plain(24, 24, '#dc1e1e').avif({ lossless: true }).toBuffer()
  const { painted } = await bakeOn(t, {
    pictures: {
      turned: { file, width: 20, height: 40 },
      modern: { file: avif, width: 24, height: 24 },
    },
    texts: [{ html: '<img src="{turned}">' }, { html: '<img src="{modern}">' }],
  })
  const [turned, modern] = painted
  if (!turned || !modern) return t.fail('two texts have two pictures')
  t.is(turned.width, 20)
  const at = await pixelsOf(turned)
  const isNear = (seen: number[], wanted: number[]) =>
    seen.every((value, i) => Math.abs(value - (wanted[i] ?? 0)) <= 4)
  t.true(isNear(at(10, 8), red), String(at(10, 8)))
  t.true(isNear(at(10, 32), blue), String(at(10, 32)))
  t.true(isNear((await pixelsOf(modern))(12, 12), red))
})

test('pictures of many pixels are reduced, but laid out at original size', async (t) => {
  const huge = await flat(9_000, 3_000, '#dc1e1e')
  const others = { a: await flat(4_000, 4_000, '#1428c8'), b: await flat(4_000, 3_999, '#1428c8') }
  const { outcome, painted, documents, bake } = await bakeOn(t, {
    pictures: { huge, ...others },
    texts: [
      { html: '<div style="width:300px;height:60px;overflow:hidden"><img src="{huge}"></div>' },
      { html: '<img src="{huge}" style="width:30%;display:block">' },
      { html: '<img src="{huge}" height="8"><img src="{a}" height="8"><img src="{b}" height="8">' },
    ],
  })
  t.true(outcome.done, JSON.stringify(outcome))
  const [cut, share, row] = painted
  if (!cut || !share || !row) return t.fail('three texts have three pictures')
  t.deepEqual((await pixelsOf(cut))(299, 59), red)
  // 30 % of the canvas is 192, and three to one.
  t.is(share.height, 64)
  t.deepEqual((await pixelsOf(share))(191, 63), red)
  t.is(Math.round(row.width), 24 + 8 + 8)
  t.deepEqual(
    documents[1]?.pictures?.map(({ width, height }) => [width, height]),
    [[9_000, 3_000]],
  )

  // The next task finds the decoded pictures, which give the same pixels.
  const before = painted.map(({ digest }) => digest)
  const again = await bake()
  if (!again.outcome.done) return t.fail(JSON.stringify(again.outcome))
  t.deepEqual(
    Value.Parse(BakeResult, again.outcome.result).bakes.map(({ digest }) => digest),
    before,
  )
})

test('custom code has its element’s pictures and their pixels, and no others', async (t) => {
  const js = `
    const img = document.querySelector('img')
    const canvas = document.createElement('canvas')
    canvas.width = canvas.height = 8
    const context = canvas.getContext('2d')
    context.drawImage(img, 0, 0)
    const [r, g, b] = context.getImageData(4, 4, 1, 1).data
    const box = document.querySelector('.box')
    box.style.background = 'rgb(' + [b, g, r] + ')'
    const other = new Image()
    other.onload = () => box.remove()
    other.src = img.src.replace(/[0-9a-f]{64}/, '${'a'.repeat(64)}')
  `
  const code = {
    ...{ js, duration: 0.2 },
    css: 'img { position: relative; animation: go 0.2s linear both } @keyframes go { to { left: 60px } }',
  }
  const html =
    '<img src="{logo}" style="display:block"><div class="box" style="width:30px;height:30px"></div>'
  const { outcome, painted } = await bakeOn(t, {
    pictures: { logo: await flat(40, 20, '#dc1e1e') },
    texts: [{ html, code, x: 100, y: 100 }],
  })
  t.true(outcome.done, JSON.stringify(outcome))
  const [moving] = painted
  if (!moving) return t.fail('the element was not painted')
  const first = await momentOf(moving as BakedPicture, 0)
  const last = await momentOf(moving as BakedPicture, 2)
  t.deepEqual([first(2, 10), first(70, 10)], [red, [0, 0, 0, 0]])
  t.deepEqual([last(2, 10), last(70, 10)], [[0, 0, 0, 0], red])
  t.deepEqual(last(15, 35), [30, 30, 220, 255])
})

test('a node refuses a document whose pictures are not handed in', async (t) => {
  const objects = await objectsOf(t)
  const document = {
    ...{ kind: 'html', style: {}, field: 'visuals[4]' },
    markup: `<img src="farm-picture:${'a'.repeat(64)}">`,
  }
  objects.objects.set('documents', Buffer.from(JSON.stringify([document])))
  const task = { kind: 'bake' as const, spec: { count: 1 }, outputs: ['bake-0', 'log'] }
  const { outcome } = await runOn(await nodeOf(t), objects, task)
  t.like(outcome, { done: false, code: 'element_invalid', field: 'visuals[4]' })
})

test('a picture fault in html names its URL and its field', async (t) => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
  const media = await serveMedia({ 'logo.svg': svg })
  t.teardown(() => media.close())
  const node = await nodeOf(t, { trustedHosts: [media.hosts] })
  const objects = await objectsOf(t)
  const ingest = async (name: string) => {
    const spec = { url: media.at(name), field: 'visuals[2].html', expect: 'image', isInHtml: true }
    const task = { kind: 'ingest' as const, spec, outputs: ['media', 'log'] }
    const { outcome } = await runOn(node, objects, task)
    return outcome.done ? undefined : outcome
  }
  t.like(await ingest('gone.png'), {
    ...{ code: 'media_unreachable', field: 'visuals[2].html' },
    message: `The address must answer with status 200. Got 404. The picture is ${media.at('gone.png')}`,
  })
  t.like(await ingest('logo.svg'), {
    ...{ code: 'media_invalid', field: 'visuals[2].html' },
    message: `A picture in html must be a png, jpeg, webp, gif or avif file. Got markup (svg); write its <svg> into the html in place of <img>. The picture is ${media.at('logo.svg')}`,
  })
})
