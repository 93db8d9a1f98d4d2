import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { FarmError } from '../../core/errors.ts'
import { cssName } from '../../core/markup/css.ts'
import { cleanHtml } from '../../core/markup/html.ts'
import { cleanSvg } from '../../core/markup/svg.ts'
import type { BakeDocument, BakeFacts, BakeWarning } from '../../core/tasks.ts'
import {
  type Atlas,
  cellOf,
  maxCellArea,
  maxCellEdge,
  packCells,
  padsOf,
  widerCell,
} from './cells.ts'
import {
  decodePixels,
  encodeInk,
  encodePng,
  type Ink,
  inkOf,
  type Pixels,
  touchesEdge,
} from './cut.ts'
import { familyChain } from './families.ts'
import type { Fonts } from './fonts.ts'
import { assertNothingMissing, findMissing, missingWarnings } from './missing.ts'
import { dress } from './page/dress.ts'
import { type Measured, measure } from './page/measure.ts'
import { type MountElement, type Mounted, mount } from './page/mount.ts'
import { callInPage, sheets } from './page/page.ts'
import { type Cell, place } from './page/place.ts'
import { assertTextEffort } from './text-effort.ts'

/** `png`: straight alpha, `inkWidth` x `inkHeight`, or those of all moments; the rest as in BakeFacts. */
export type BakedPicture = {
  readonly png: Buffer
  readonly width: number
  readonly height: number
  readonly inkX: number
  readonly inkY: number
  readonly inkWidth: number
  readonly inkHeight: number
  readonly margin?: NonNullable<BakeFacts['margin']>
  readonly moments?: NonNullable<BakeFacts['moments']>
  readonly parts?: NonNullable<BakeFacts['parts']>
  readonly warnings: BakeWarning[]
}

/** What percentages and viewport units are of when a document does not say; text wraps at its width. */
export const defaultCanvas = { width: 1_920, height: 1_080 }

/** As the browser is to see a document: sanitised, whatever was checked before. */
export function mountElementOf(document: BakeDocument): MountElement {
  const { kind, markup, style, width, height, resize } = document
  return {
    kind,
    markup: kind === 'html' ? cleanHtml(markup) : cleanSvg(markup),
    style: Object.entries(style).map(([property, value]) => {
      return { property, name: cssName(property), value }
    }),
    width,
    height,
    resize,
    parts: document.parts === true,
    canvas: document.canvas ?? defaultCanvas,
    ...(document.code && { css: document.code.css }),
  }
}

/**
 * Paints elements together in one fresh page; `fields` name them in errors. `strictFonts`: what no
 * font has is an error, not a warning.
 */
export async function paintElements({
  context,
  page,
  fonts,
  strictFonts,
  elements,
  fields,
}: {
  context: BrowserContext
  page: Page
  fonts: Fonts
  strictFonts: boolean
  elements: readonly MountElement[]
  fields: readonly string[]
}): Promise<BakedPicture[]> {
  const mounted = await callInPage(page, mount, { elements, sheets })
  for (const [index, { text }] of mounted.entries()) assertTextEffort(text, fields[index] ?? '')
  const warnings = await dressElements({ page, fonts, strictFonts, mounted, fields })
  const boxes = await callInPage(page, measure, undefined)
  for (const [index, box] of boxes.entries()) {
    assertSize(box, fields[index] ?? '')
    assertEffort(box, fields[index] ?? '')
  }

  const session = await context.newCDPSession(page)
  const color = { r: 0, g: 0, b: 0, a: 0 }
  await session.send('Emulation.setDefaultBackgroundColorOverride', { color })
  const pictures = new Map<number, BakedPicture>()
  let cells = boxes.map((box, index) => cellOf({ index, box, pads: padsOf(box) }))
  while (cells.length > 0) {
    const wider: Cell[] = []
    for (const atlas of packCells(cells)) {
      const pixels = await shoot({ page, session, atlas })
      await Promise.all(
        atlas.cells.map(async (cell) => {
          const box = boxes[cell.index] as Measured
          const ink = inkOf(pixels, cell)
          const isCut = ink !== undefined && touchesEdge(ink, cell)
          const grown = isCut ? widerCell(cell, box) : undefined
          if (grown) return wider.push(grown)
          const own = warnings[cell.index] ?? []
          if (isCut) own.push(cutOff(cell))
          const picture = await pictureOf({ pixels, cell, ink, box, warnings: own })
          return pictures.set(cell.index, picture)
        }),
      )
    }
    cells = wider
  }
  return elements.map((_, index) => pictures.get(index) as BakedPicture)
}

/** Gives every element its fonts and waits for them; what the customer should know, by element. */
export async function dressElements({
  page,
  fonts,
  strictFonts,
  mounted,
  fields,
}: {
  page: Page
  fonts: Fonts
  strictFonts: boolean
  mounted: readonly Mounted[]
  fields: readonly string[]
}): Promise<BakeWarning[][]> {
  const styles = mounted.map(({ families, text }) =>
    Object.entries(families).map(([computed, own]) => {
      return { computed, chain: familyChain(computed, text), text: own }
    }),
  )
  const all = styles.flat().map(({ chain }) => chain)
  const bundled = new Set(all.flatMap((chain) => chain.bundled))
  const faces = await Promise.all([...bundled].map((family) => fonts.faces(family)))
  const { failedFonts, absent, broken } = await callInPage(page, dress, {
    faces: faces.join('\n'),
    chains: styles.map((each) =>
      Object.fromEntries(each.map(({ computed, chain }) => [computed, chain.css])),
    ),
    foreign: [...new Set(all.flatMap((chain) => chain.foreign))],
  })
  if (failedFonts.length > 0) {
    throw new FarmError('internal', `Bundled fonts did not load: ${failedFonts.join(', ')}`)
  }
  return Promise.all(
    mounted.map(async ({ warnings }, index) => {
      const missing = await findMissing(styles[index] ?? [], { fonts, absent })
      if (strictFonts) assertNothingMissing(missing, fields[index] ?? '')
      const damaged = broken.includes(index) ? [damagedPicture] : []
      return [...warnings, ...missingWarnings(missing), ...damaged]
    }),
  )
}

const damagedPicture: BakeWarning = {
  code: 'picture_damaged',
  message: 'A picture in the markup cannot be decoded',
}

function cutOff({ width, height }: Cell): BakeWarning {
  return { code: 'cut_off', message: `What lies outside of ${width} x ${height} px is cut off` }
}

export function assertSize({ width, height }: Measured, field: string): void {
  if (Math.max(width, height) <= maxCellEdge && width * height <= maxCellArea) return
  const seen = `${Math.round(width)} x ${Math.round(height)}`
  throw new FarmError(
    'element_invalid',
    `An element is at most ${maxCellEdge} px wide and high and ${maxCellArea} px in area. Got ${seen}`,
    { field },
  )
}

/** What the clock would end after 10 s is refused before it is begun. */
const maxEffortSeconds = 8

function assertEffort({ effort: { seconds, most } }: Measured, field: string): void {
  if (seconds <= maxEffortSeconds) return
  const rule = `The filters and blurs of an element must be painted within ${maxEffortSeconds} s`
  const got = `These would take some ${Math.ceil(seconds)} s, most of it for ${most}`
  throw new FarmError('element_invalid', `${rule}. ${got}`, { field })
}

async function shoot({
  page,
  session,
  atlas,
}: {
  page: Page
  session: CDPSession
  atlas: Atlas
}): Promise<Pixels> {
  const { width, height, cells } = atlas
  await page.setViewportSize({ width, height })
  await callInPage(page, place, { cells })
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'png',
    optimizeForSpeed: true,
  })
  const pixels = await decodePixels(Buffer.from(data, 'base64'))
  if (pixels.width !== width || pixels.height !== height) {
    const seen = `${pixels.width} x ${pixels.height}`
    throw new FarmError('internal', `The browser was to paint ${width} x ${height}. Got ${seen}`)
  }
  return pixels
}

async function pictureOf({
  pixels,
  cell,
  ink,
  box,
  warnings,
}: {
  pixels: Pixels
  cell: Cell
  ink: Ink | undefined
  box: Measured
  warnings: BakeWarning[]
}): Promise<BakedPicture> {
  const { width, height, margin, parts } = box
  const hasMargin = Object.values(margin).some((side) => side !== 0)
  const layout = { width, height, ...(hasMargin && { margin }), ...(parts && { parts }) }
  if (!ink) {
    const png = await encodePng({ data: Buffer.alloc(4), width: 1, height: 1 })
    return { png, ...layout, inkX: 0, inkY: 0, inkWidth: 1, inkHeight: 1, warnings }
  }
  return {
    png: await encodeInk({ pixels, cell, ink }),
    ...layout,
    inkX: ink.left - cell.padLeft,
    inkY: ink.top - cell.padTop,
    inkWidth: ink.right - ink.left,
    inkHeight: ink.bottom - ink.top,
    warnings,
  }
}
