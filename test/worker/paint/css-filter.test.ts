import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import sharp from 'sharp'
import type { ColorFilter } from '../../../core/timeline/draw.ts'
import { createLog } from '../../../runtime/log.ts'
import { createWarmBrowser, type WarmBrowser } from '../../../worker/bake/browser.ts'
import { openNapiCanvas } from '../../../worker/paint/napi-canvas.ts'
import { createPainter } from '../../../worker/paint/painter.ts'
import { frameOf, picture } from './commands.ts'
import { meanDifference, shareOver } from './likeness.ts'
import { album, texture } from './textures.ts'

const size = { width: 128, height: 96 }
const photo = texture(size.width, size.height, 3)
const canvas = openNapiCanvas()
const painter = createPainter({ backend: canvas, ...size, bitmap: album(canvas, { photo }) })

let browser: WarmBrowser | undefined
let dataDir = ''
test.before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'farm-css-'))
  browser = createWarmBrowser({ log: createLog('test', 'silent'), dataDir })
})
test.after.always(async () => {
  await browser?.close()
  await rm(dataDir, { recursive: true, force: true })
})

/** Paints the photo in Chromium under a CSS `filter` and a multiplied colour. */
async function inChromium(filter: string, tint: string): Promise<Buffer> {
  const page = await (await browser?.get())?.newPage({ viewport: size })
  if (!page) throw new Error('There is no browser')
  const png = await sharp(photo.rgba, { raw: { ...size, channels: 4 } })
    .png()
    .toBuffer()
  const source = `data:image/png;base64,${png.toString('base64')}`
  await page.setContent(
    `<style>body{margin:0}img{display:block}div{position:absolute;inset:0;mix-blend-mode:multiply;background:${tint}}</style>
    <img src="${source}" style="filter:${filter}"><div></div>`,
  )
  const shot = await page.screenshot({ clip: { x: 0, y: 0, ...size } })
  await page.close()
  return sharp(shot).ensureAlpha().raw().toBuffer()
}

const cases: [css: string, filter: ColorFilter][] = [
  ['brightness(1.4)', { brightness: 1.4 }],
  ['brightness(0.3)', { brightness: 0.3 }],
  ['contrast(1.8)', { contrast: 1.8 }],
  ['contrast(0.2)', { contrast: 0.2 }],
  ['saturate(2)', { saturate: 2 }],
  ['saturate(0)', { saturate: 0 }],
  ['hue-rotate(90deg)', { hue: 90 }],
  ['hue-rotate(-45deg)', { hue: -45 }],
  ['invert(1)', { invert: 1 }],
  ['invert(0.25)', { invert: 0.25 }],
  ['blur(2px)', { blur: 2 }],
  ['blur(5px)', { blur: 5 }],
  ['none', { tint: [1, 0.5, 0.2] }],
  [
    'brightness(1.2) contrast(0.8) saturate(1.5) hue-rotate(30deg) blur(3px) invert(0.9)',
    {
      ...{ brightness: 1.2, contrast: 0.8, saturate: 1.5, hue: 30, blur: 3, invert: 0.9 },
      tint: [1, 0.5, 0.2],
    },
  ],
]

for (const [css, filter] of cases) {
  const tint = filter.tint ? '#ff8033' : '#ffffff'
  test(`${css} under ${tint} is what Chromium paints`, async (t) => {
    const painted = await painter.paint(frameOf(size, picture('photo', size, { filter })))
    // A CSS blur fades at the picture's edges; ours goes on from the outermost pixels.
    const margin = Math.ceil((filter.blur ?? 0) * 3)
    const [ours, theirs] = [painted, await inChromium(css, tint)].map((rgba) => inner(rgba, margin))
    if (!ours || !theirs) return t.fail()
    // Chromium approximates the Gaussian by three boxes in a row, a little narrower.
    const limit = filter.blur ? { mean: 1.5, byte: 8 } : { mean: 0.2, byte: 1 }
    const mean = meanDifference(ours, theirs)
    t.true(mean < limit.mean, `mean difference ${mean}`)
    const share = shareOver(limit.byte, ours, theirs)
    t.true(share < 0.002, `share of bytes that differ by more than ${limit.byte}: ${share}`)
  })
}

function inner(rgba: Buffer, margin: number): Buffer {
  const rows: Buffer[] = []
  for (let y = margin; y < size.height - margin; y++) {
    rows.push(rgba.subarray((y * size.width + margin) * 4, ((y + 1) * size.width - margin) * 4))
  }
  return Buffer.concat(rows)
}
