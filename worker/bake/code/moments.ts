import { createHash } from 'node:crypto'
import type { Browser } from 'playwright-core'
import { FarmError } from '../../../core/errors.ts'
import type { BakeFacts, BakeWarning } from '../../../core/tasks.ts'
import { cellOf, padsOf, widerCell } from '../cells.ts'
import { decodePixels, encodeInk, encodePng, inkOf, type Pixels, touchesEdge } from '../cut.ts'
import type { Fonts } from '../fonts.ts'
import { loadFaces } from '../page/dress.ts'
import { type Measured, measure } from '../page/measure.ts'
import { mount } from '../page/mount.ts'
import { callInPage, sheets } from '../page/page.ts'
import { type Cell, place } from '../page/place.ts'
import { assertSize, type BakedPicture, cutOff, dressElements, mountElementOf } from '../paint.ts'
import type { CodedDocument } from './moving.ts'
import { openStage, type Stage } from './stage.ts'

/** All different pictures of one element together, px: 1.2 GB while they are drawn from. */
const pixelsMax = 300_000_000

/** What moves leaves its box more often than what stands. */
const spareShare = 0.5

type Painting = {
  readonly browser: Browser
  readonly document: CodedDocument
  readonly fonts: Fonts
  readonly strictFonts: boolean
  /** Of the code, for errors. */
  readonly field: string
  readonly onCrash: () => void
}

/**
 * Paints every moment of an element. Where one does not fit, all of them are painted again with more
 * room around: the code cannot be asked to go back.
 */
export async function paintMoments(painting: Painting): Promise<BakedPicture> {
  let cell: Cell | undefined
  for (;;) {
    const stage = await openStage(painting)
    const { box, warnings } = await stage.during(setUp(stage, painting))
    cell ??= firstCell(box)
    const wider = widerCell(cell, box, 2)
    const all = await paintIn(stage, { ...painting, cell, stopsAtEdge: wider !== undefined })
    if (all.isCut && wider) {
      cell = wider
      await stage.close()
      continue
    }
    return bakedOf(all.film, { box, warnings: all.isCut ? [...warnings, cutOff(cell)] : warnings })
  }
}

function firstCell(box: Measured): Cell {
  const pads = padsOf(box)
  const spare = Math.ceil(Math.max(box.width, box.height) * spareShare)
  const wide = (side: keyof typeof pads) => pads[side] + spare
  const all = { left: wide('left'), right: wide('right'), top: wide('top'), bottom: wide('bottom') }
  return cellOf({ index: 0, box, pads: all })
}

async function setUp(
  { page, session }: Stage,
  { document, fonts, strictFonts }: Painting,
): Promise<{ box: Measured; warnings: BakeWarning[] }> {
  const { markup, code, field } = document
  const elements = [mountElementOf(document)]
  const mounted = await callInPage(page, mount, { elements, sheets })
  const dressing = { page, fonts, strictFonts, mounted, fields: [field] }
  const [warnings = []] = await dressElements(dressing)
  await callInPage(page, loadFaces, { text: `${markup}${code.css}${code.js}` })
  const [box] = await callInPage(page, measure, undefined)
  if (!box) throw new Error('An element that was mounted must have a box')
  assertSize(box, field)
  const color = { r: 0, g: 0, b: 0, a: 0 }
  await session.send('Emulation.setDefaultBackgroundColorOverride', { color })
  return { box, warnings }
}

type Moment = NonNullable<BakeFacts['moments']>['pictures'][number]
type Film = {
  readonly frameRate: number
  readonly pngs: Buffer[]
  readonly pictures: Moment[]
  readonly order: number[]
}

async function paintIn(
  stage: Stage,
  {
    document: { code },
    field,
    cell,
    stopsAtEdge,
  }: Painting & { readonly cell: Cell; readonly stopsAtEdge: boolean },
): Promise<{ film: Film; isCut: boolean }> {
  const { width, height } = cell
  const metrics = { width, height, deviceScaleFactor: 1, mobile: false }
  await stage.session.send('Emulation.setDeviceMetricsOverride', metrics)
  await callInPage(stage.page, place, { cells: [cell] })
  await stage.run(code.js)
  const { frameRate, duration } = code
  const film: Film = { frameRate, pngs: [], pictures: [], order: [] }
  const known = new Map<string, number>()
  let isCut = false
  let area = 0
  for (const ms of momentsOf(duration, frameRate)) {
    const png = await stage.frame(ms)
    if (png === undefined) {
      film.order.push(film.order.at(-1) ?? 0)
      continue
    }
    const pixels = await decodePixels(png)
    if (pixels.width !== width || pixels.height !== height) {
      const seen = `${pixels.width} x ${pixels.height}`
      throw new FarmError('internal', `The browser was to paint ${width} x ${height}. Got ${seen}`)
    }
    const name = createHash('sha256').update(pixels.data).digest('base64')
    const before = known.get(name)
    film.order.push(before ?? film.pictures.length)
    if (before !== undefined) continue
    known.set(name, film.pictures.length)
    const { moment, encoded, touches } = await cutMoment(pixels, cell)
    const last = film.pictures.at(-1)
    const offset = last ? last.offset + last.bytes : 0
    film.pictures.push({ ...moment, offset, bytes: encoded.length })
    film.pngs.push(encoded)
    isCut ||= touches
    if (isCut && stopsAtEdge) break
    area += moment.inkWidth * moment.inkHeight
    if (area > pixelsMax) throw tooLarge(field)
  }
  return { film, isCut }
}

/** On the grid of the film's frames; the last one is where the animation ends. */
function momentsOf(seconds: number, frameRate: number): number[] {
  const steps = Math.ceil(seconds * frameRate - 1e-6)
  return Array.from({ length: steps + 1 }, (_, k) => {
    return Math.round(Math.min(k / frameRate, seconds) * 1e6) / 1000
  })
}

async function cutMoment(pixels: Pixels, cell: Cell) {
  const ink = inkOf(pixels, cell)
  if (!ink) {
    const encoded = await encodePng({ data: Buffer.alloc(4), width: 1, height: 1 })
    return { moment: { inkX: 0, inkY: 0, inkWidth: 1, inkHeight: 1 }, encoded, touches: false }
  }
  const moment = {
    inkX: ink.left - cell.padLeft,
    inkY: ink.top - cell.padTop,
    inkWidth: ink.right - ink.left,
    inkHeight: ink.bottom - ink.top,
  }
  const encoded = await encodeInk({ pixels, cell, ink })
  return { moment, encoded, touches: touchesEdge(ink, cell) }
}

function bakedOf(
  { pngs, pictures, order, frameRate }: Film,
  { box, warnings }: { box: Measured; warnings: BakeWarning[] },
): BakedPicture {
  const [first] = pictures
  if (!first) throw new Error('An element that moves must have a first moment')
  const { offset: _, bytes: __, ...ink } = first
  const { width, height, margin } = box
  const hasMargin = Object.values(margin).some((side) => side !== 0)
  const layout = { width, height, ...(hasMargin && { margin }) }
  const moments = { frameRate, pictures, order }
  return { png: Buffer.concat(pngs), ...layout, ...ink, moments, warnings }
}

function tooLarge(field: string): FarmError {
  const rule = `The different pictures of one customCode must have at most ${pixelsMax / 1e6} million pixels together.`
  const advice = 'A shorter animationDuration, a lower frameRate or a smaller element helps.'
  return new FarmError('element_invalid', `${rule} ${advice}`, { field })
}
