import { createHash } from 'node:crypto'
import { FarmError } from '../../../core/errors.ts'
import { everywhere } from '../../../core/looks/family-chain.ts'
import { readCodeCss } from '../../../core/markup/code-css.ts'
import type { BakeFacts, BakeWarning } from '../../../core/queue/tasks.ts'
import { animationTimes } from '../../../core/timeline/animation-times.ts'
import { placeBox, seenAround } from '../../../core/timeline/placing.ts'
import { cellOf, maxCellArea } from '../cells.ts'
import type { Cutter } from '../cutter.ts'
import type { Fonts } from '../fonts.ts'
import { loadFaces } from '../page/dress.ts'
import { type Measured, measure } from '../page/measure.ts'
import { mount } from '../page/mount.ts'
import { callInPage, sheets } from '../page/page.ts'
import { type Cell, place } from '../page/place.ts'
import {
  assertSize,
  type BakedPicture,
  defaultCanvas,
  dressElements,
  mountElementOf,
  ownFailures,
} from '../paint.ts'
import type { CodeClock } from './code-clock.ts'
import type { CodedDocument } from './coded-document.ts'
import { type OpenStage, type Play, play } from './stage.ts'

/** Limit for all distinct pictures of one element together, as PNG. */
const bytesMax = 512 * 2 ** 20

/** Ink that fills at least this share of its page is kept uncut, as the browser wrote it. */
const wholeShare = 0.8

/** Pictures being cut and written while the browser paints the next ones. */
const pendingMax = 4

type Painting = {
  readonly stage: OpenStage
  readonly document: CodedDocument
  readonly fonts: Fonts
  readonly cutter: Cutter
  readonly strictFonts: boolean
  /** Field of the code, for errors. */
  readonly field: string
  readonly clock: CodeClock
  /** Called when all is ready, before the first moment. */
  readonly onReady: () => void
}

/**
 * Paints every frame of an element as far as the canvas shows it: the page is as large as the
 * canvas, and the element stands at its place in the film.
 */
export async function paintMoments(painting: Painting): Promise<BakedPicture> {
  const { stage, document } = painting
  const { box, warnings } = await stage.during(setUp(painting))
  const cell = cellAround(box, document)
  const { width, height } = cell
  const metrics = { width, height, deviceScaleFactor: 1, mobile: false }
  await stage.session.send('Emulation.setDeviceMetricsOverride', metrics)
  await callInPage(stage.page, place, { cells: [cell] })
  const played = play(stage, painting)
  await played.run(document.code.js)
  painting.onReady()
  return bakedOf(await film(played, { ...painting, cell }), { box, warnings })
}

function cellAround(box: Measured, { code, canvas = defaultCanvas }: CodedDocument): Cell {
  const placed = placeBox(code.place, box, { canvas, margin: box.margin })
  const [left, top, width, height] = seenAround(placed, code.place, canvas)
  let pads = {
    left: -left,
    top: -top,
    right: Math.max(0, left + width - Math.ceil(box.width)),
    bottom: Math.max(0, top + height - Math.ceil(box.height)),
  }
  for (;;) {
    const cell = cellOf({ index: 0, box, pads })
    if (cell.width * cell.height <= maxCellArea) return cell
    // Happens for an element far outside of the canvas.
    const half = (pad: number) => pad >> 1
    pads = {
      left: half(pads.left),
      top: half(pads.top),
      right: half(pads.right),
      bottom: half(pads.bottom),
    }
  }
}

async function setUp({
  stage: { page, session, pictures },
  document,
  fonts,
  strictFonts,
}: Painting): Promise<{ box: Measured; warnings: BakeWarning[] }> {
  const { markup, code, field } = document
  const elements = [mountElementOf(document)]
  pictures.show([document])
  const mounted = await callInPage(page, mount, { elements, sheets })
  const families = new Set<string>(everywhere)
  const { css, ownFamilies: own } = readCodeCss(code.css)
  const dressing = { page, families, fonts, strictFonts, mounted, fields: [field], own }
  const [warnings = []] = await dressElements(dressing)
  pictures.assertAllRead()
  const failed = await callInPage(page, loadFaces, { text: `${markup}${css}${code.js}` })
  warnings.push(...unreadableFonts(ownFailures(failed, own), { strictFonts, field }))
  const [box] = await callInPage(page, measure, undefined)
  if (!box) throw new Error('An element that was mounted must have a box')
  assertSize(box, field)
  const color = { r: 0, g: 0, b: 0, a: 0 }
  await session.send('Emulation.setDefaultBackgroundColorOverride', { color })
  return { box, warnings }
}

function unreadableFonts(
  names: readonly string[],
  { strictFonts, field }: { strictFonts: boolean; field: string },
): BakeWarning[] {
  const messages = names.map(
    (name) => `The data of the @font-face ${name.slice(0, 100)} in customCode.css cannot be read`,
  )
  if (strictFonts && messages.length > 0) {
    throw new FarmError('element_invalid', `${messages.join('. ')}.`, { field })
  }
  return messages.map((message) => ({
    code: 'unknown_font',
    message: `${message}; the next family is used`,
  }))
}

type AnimationPicture = NonNullable<BakeFacts['moments']>['pictures'][number]
type Picture = { readonly ink: Omit<AnimationPicture, 'offset' | 'bytes'>; readonly png: Buffer }
type Film = {
  readonly frameRate: number
  readonly pictures: readonly Picture[]
  readonly order: readonly number[]
}

/** Takes the pictures of all frames; equal frames share one picture. */
async function film(
  played: Play,
  { document: { code }, field, cell, clock, cutter }: Painting & { readonly cell: Cell },
): Promise<Film> {
  const { frameRate, lastOnly = false } = code
  const known = new Map<string, number>()
  const cuts: Promise<Picture>[] = []
  const order: number[] = []
  let bytes = 0
  const moments = animationTimes(code)
  const ask = (at: number) => {
    const frame = played.frame(moments[at] ?? 0, !lastOnly || at === moments.length - 1)
    // The error surfaces where the frame is awaited.
    frame.catch(() => undefined)
    return frame
  }
  let asked = ask(0)
  for (const at of moments.keys()) {
    const shot = await asked
    // The browser makes the next frame while this one is processed.
    if (at < moments.length - 1) asked = ask(at + 1)
    if (!shot) continue
    if (shot === 'same') {
      order.push(order.at(-1) as number)
      continue
    }
    const name = createHash('sha256').update(shot).digest('base64')
    const before = known.get(name)
    order.push(before ?? cuts.length)
    if (before !== undefined) continue
    known.set(name, cuts.length)
    const cut = cutMoment(shot, { cell, cutter })
    cuts.push(cut)
    // The error surfaces where the cut is awaited.
    cut.catch(() => undefined)
    const oldest = await clock.without(Promise.resolve(cuts.at(-pendingMax)))
    bytes += oldest?.png.length ?? 0
    if (bytes > bytesMax) throw tooLarge(field)
  }
  return { frameRate, pictures: await clock.without(Promise.all(cuts)), order }
}

async function cutMoment(
  shot: Buffer,
  { cell, cutter }: { cell: Cell; cutter: Cutter },
): Promise<Picture> {
  const { width, height, padLeft, padTop } = cell
  const asked = { ...cell, encode: { atEdge: true, upTo: wholeShare } }
  const [cut] = await cutter.cut({ png: shot, width, height, cells: [asked] })
  // Cutting ink that fills the page would save almost nothing.
  if (!cut?.png) {
    return { ink: { inkX: -padLeft, inkY: -padTop, inkWidth: width, inkHeight: height }, png: shot }
  }
  const png = Buffer.from(cut.png)
  if (!cut.ink) return { ink: { inkX: 0, inkY: 0, inkWidth: 1, inkHeight: 1 }, png }
  const { left, top, right, bottom } = cut.ink
  const place = {
    inkX: left - padLeft,
    inkY: top - padTop,
    inkWidth: right - left,
    inkHeight: bottom - top,
  }
  return { ink: place, png }
}

function bakedOf(
  { pictures, order, frameRate }: Film,
  { box, warnings }: { box: Measured; warnings: BakeWarning[] },
): BakedPicture {
  const [first] = pictures
  if (!first) throw new Error('An element that moves must have a first moment')
  let offset = 0
  const moments = pictures.map(({ ink, png }): AnimationPicture => {
    const moment = { ...ink, offset, bytes: png.length }
    offset += png.length
    return moment
  })
  const { width, height, margin } = box
  const hasMargin = Object.values(margin).some((side) => side !== 0)
  return {
    png: Buffer.concat(pictures.map(({ png }) => png)),
    width,
    height,
    ...(hasMargin && { margin }),
    ...first.ink,
    moments: { frameRate, pictures: moments, order: [...order] },
    warnings,
  }
}

function tooLarge(field: string): FarmError {
  const rule = `The pictures of one customCode must have at most ${bytesMax / 2 ** 20} MB together, as PNG.`
  const advice = 'A shorter animationDuration, a lower frameRate or a smaller element helps.'
  return new FarmError('element_invalid', `${rule} ${advice}`, { field })
}
