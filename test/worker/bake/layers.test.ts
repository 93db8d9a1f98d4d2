import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import sharp from 'sharp'
import type { BakeDocument } from '../../../core/queue/tasks.ts'
import { createLog } from '../../../runtime/log.ts'
import { createWarmBrowser, type WarmBrowser } from '../../../worker/bake/browser.ts'
import { cellOf, padsOf } from '../../../worker/bake/cells.ts'
import { createFonts } from '../../../worker/bake/fonts.ts'
import { watchLayers } from '../../../worker/bake/layers.ts'
import { measure } from '../../../worker/bake/page/measure.ts'
import { mount } from '../../../worker/bake/page/mount.ts'
import { callInPage, sheets } from '../../../worker/bake/page/page.ts'
import { type Cell, place, showAgain } from '../../../worker/bake/page/place.ts'
import { type BakePages, createBakePages } from '../../../worker/bake/pages.ts'
import { dressElements, mountElementOf } from '../../../worker/bake/paint.ts'
import { html, svg } from './baking.ts'

const fonts = createFonts()
let browser: WarmBrowser
let pages: BakePages
let dataDir: string
test.before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'farm-bake-'))
  browser = createWarmBrowser({ log: createLog('test', 'silent'), dataDir })
  pages = createBakePages({ browser, fonts })
})
test.after.always(async () => {
  await browser.close()
  await rm(dataDir, { recursive: true, force: true })
})

/** A page with the elements in it, and their cells. */
async function mounted(documents: readonly BakeDocument[]) {
  const empty = await pages.take()
  const { page, families } = empty
  const elements = documents.map(mountElementOf)
  const inPage = await callInPage(page, mount, { elements, sheets })
  const fields = documents.map(({ field }) => field)
  await dressElements({ page, families, fonts, strictFonts: false, mounted: inPage, fields })
  const boxes = await callInPage(page, measure, undefined)
  const cells = boxes.map((box, index) => cellOf({ index, box, pads: padsOf(box) }))
  return { ...empty, boxes, cells }
}

const raw = (png: Buffer) => sharp(png).ensureAlpha().raw().toBuffer()

/** Captures a cell as it appears on the screen. */
async function screenshot({ page, session }: Awaited<ReturnType<typeof mounted>>, cell: Cell) {
  const { width, height } = cell
  await page.setViewportSize({ width, height })
  await callInPage(page, showAgain, undefined)
  await callInPage(page, place, { cells: [{ ...cell, x: 0, y: 0 }] })
  const { data } = await session.send('Page.captureScreenshot', { format: 'png' })
  return raw(Buffer.from(data, 'base64'))
}

const box = (style: string, inside = '') =>
  `<div style="width:400px;height:200px;${style}">${inside}</div>`

const simple: readonly BakeDocument[] = [
  html('Words <b>and</b> 🚀 かな', { style: { fontSize: 61, textShadow: '0 6px 20px #0008' } }),
  html('A title as wide as titles are, and wider', { style: { fontSize: 80, color: '#fff' } }),
  html(box('background:linear-gradient(37deg,#f43f5e,#8b5cf6);border-radius:25px;opacity:.5')),
  html(box('background:#0f0;filter:blur(9px)', box('transform:rotate(7deg)', 'turned'))),
  html(box('background:#fff;box-shadow:0 9px 31px #0008;mask-image:linear-gradient(#000,#0000)')),
  html(box('background:#f00', box('background:#0ff;mix-blend-mode:multiply;margin:20px'))),
  html(box('overflow:hidden;border-radius:50px', box('background:#08f;margin:-9px'))),
  svg(
    '<svg viewBox="0 0 300 200"><mask id="m"><circle cx="150" cy="100" r="80" fill="#fff"/></mask><filter id="f"><feGaussianBlur stdDeviation="6"/></filter><rect mask="url(#m)" width="300" height="200" fill="red"/><text filter="url(#f)" x="30" y="100" font-size="60">Blur</text></svg>',
  ),
]

test('pictures drawn layer by layer equal the screen’s', async (t) => {
  const all = await mounted(simple)
  const layers = await watchLayers(all.page, all.session)
  const snapshots = await layers?.snapshot(all.cells)
  const drawn = await Promise.all(simple.map((_, index) => snapshots?.get(index)))
  await layers?.stop()
  for (const [index, { markup }] of simple.entries()) {
    t.true((all.boxes[index]?.alikeUpTo ?? 0) >= 512, markup)
    const cell = all.cells[index] as Cell
    t.true((await screenshot(all, cell)).equals(await raw(drawn[index] as Buffer)), markup)
  }
  await all.context.close()
})

const divided: readonly BakeDocument[] = [
  html(box('background:#0f0;transform:translateZ(0)')),
  html('<p style="opacity:.5;will-change:opacity">alone</p>'),
  html('alone', { style: { willChange: 'filter', filter: 'blur(4px)' } }),
  html(box('background:#0f0', box('backdrop-filter:blur(9px);margin:30px', 'x'))),
  html(box('background:#0f0', box('transform:perspective(500px) rotateY(30deg)', 'x'))),
  html(box('overflow:scroll', '<p style="width:900px;height:900px;background:#f00"></p>')),
  svg('<svg viewBox="0 0 30 20"><rect style="will-change:transform" width="9" height="9"/></svg>'),
]

test('elements of several browser layers are left to the screen', async (t) => {
  const one = html('fine')
  const all = await mounted([one, ...divided.flatMap((document) => [document, one])])
  const layers = await watchLayers(all.page, all.session)
  const snapshots = await layers?.snapshot(all.cells)
  const fine = all.cells.map(({ index }) => index).filter((index) => index % 2 === 0)
  t.deepEqual([...(snapshots?.keys() ?? [])], fine)
  await all.context.close()
})

test('pictures, large curves and scaled elements are left to the screen', async (t) => {
  const pixel = await sharp({ create: { width: 9, height: 9, channels: 4, background: '#f008' } })
    .png()
    .toBuffer()
  const { boxes, context } = await mounted([
    html(`<img width="30" src="data:image/png;base64,${pixel.toString('base64')}">`),
    html(box('border-radius:50%')),
    html(box('border-radius:70px')),
    html('fitted', { width: 900, resize: 'contain' }),
    svg('<svg viewBox="0 0 9 9"><circle r="9"/></svg>'),
    html('<ul><li>a bullet</li></ul>'),
    html('Huge', { style: { fontSize: 300 } }),
    html(box('border-radius:8px', 'a card')),
  ])
  t.deepEqual(
    boxes.map(({ alikeUpTo }) => alikeUpTo),
    [0, 512, 512, 512, 512, 512, 512, 4_096],
  )
  await context.close()
})

test('an account gets its own page again, and no other does', async (t) => {
  const first = await pages.take('one')
  await callInPage(first.page, mount, { elements: [mountElementOf(html('secret'))], sheets })
  pages.keep(first, 'one')
  const other = await pages.take('two')
  t.not(other.page, first.page)
  pages.keep(other, 'two')
  const again = await pages.take('one')
  t.is(again.page, first.page)
  t.is(await again.page.evaluate('document.body.textContent + document.body.children.length'), '0')
  const third = await pages.take('one')
  t.not(third.page, first.page, 'a page in use is nobody else’s')
  await Promise.all([again, third].map(({ context }) => context.close()))
  pages.keep(again, 'one')
  t.not((await pages.take('one')).page, first.page, 'a page that is gone is not kept')
})
