import type { CDPSession, Page } from 'playwright-core'
import { FarmError } from '../../core/errors.ts'
import { captionFamily } from '../../core/looks/caption-rows.ts'
import { familyNames } from '../../core/looks/families.ts'
import { familyChain } from '../../core/looks/family-chain.ts'
import { quirkyValue } from '../../core/looks/text-page.ts'
import { readCodeCss } from '../../core/markup/code-css.ts'
import { cssName } from '../../core/markup/css.ts'
import { cleanHtml } from '../../core/markup/html.ts'
import { cleanSvg } from '../../core/markup/svg.ts'
import type { BakeFacts, BakeWarning } from '../../core/queue/tasks.ts'
import {
  type Atlas,
  cellOf,
  maxCellArea,
  maxCellEdge,
  packCells,
  padsOf,
  widerCell,
} from './cells.ts'
import { type Cut, touchesEdge } from './cut.ts'
import type { Cutter } from './cutter.ts'
import type { Fonts } from './fonts.ts'
import { type Layers, watchLayers } from './layers.ts'
import { assertNothingMissing, findMissing, missingWarnings } from './missing.ts'
import { dress } from './page/dress.ts'
import { type Measured, measure } from './page/measure.ts'
import { type Mounted, mount } from './page/mount.ts'
import type { MountElement } from './page/mount-element.ts'
import { callInPage, sheets } from './page/page.ts'
import { type Cell, place, showAgain } from './page/place.ts'
import { layRows } from './page/rows.ts'
import { type DocumentToPaint, pictureAttributes } from './page-pictures.ts'
import { assertTextEffort } from './text-effort.ts'

/**
 * Painted element. `png`: straight alpha, `inkWidth` x `inkHeight`, or that of all frames; the rest
 * as in BakeFacts.
 */
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

/**
 * Reference size of percentages and viewport units for a document without one; text wraps at its
 * width.
 */
export const defaultCanvas = { width: 1_920, height: 1_080 }

/** Converts a document for the browser, sanitised again, whatever was checked before. */
export function mountElementOf(document: DocumentToPaint): MountElement {
  const { kind, markup, style, width, height, resize } = document
  return {
    kind,
    markup: kind === 'html' ? cleanHtml(markup, pictureAttributes(document)) : cleanSvg(markup),
    style: Object.entries(style).map(([property, value]) => {
      const name = cssName(property)
      return { property, name, value: quirkyValue(name, value) }
    }),
    width,
    height,
    resize,
    parts: document.parts === true,
    rows: document.rows,
    canvas: document.canvas ?? defaultCanvas,
    ...(document.code && { css: readCodeCss(document.code.css).css }),
  }
}

/**
 * Paints elements together in one empty page, which has the faces of `families`; `fields` name them
 * in errors. `strictFonts`: text that no font covers is an error, not a warning.
 */
export async function paintElements({
  page,
  session,
  families,
  fonts,
  cutter,
  strictFonts,
  elements,
  fields,
}: {
  page: Page
  session: CDPSession
  families: Set<string>
  fonts: Fonts
  cutter: Cutter
  strictFonts: boolean
  elements: readonly MountElement[]
  fields: readonly string[]
}): Promise<BakedPicture[]> {
  const mounted = await callInPage(page, mount, { elements, sheets })
  for (const [index, { text }] of mounted.entries()) assertTextEffort(text, fields[index] ?? '')
  const dressing = { page, families, fonts, strictFonts, mounted, fields }
  const warnings = await dressElements(dressing)
  if (mounted.some(({ isCaption }) => isCaption)) await callInPage(page, layRows, undefined)
  const boxes = await callInPage(page, measure, undefined)
  for (const [index, box] of boxes.entries()) {
    assertSize(box, fields[index] ?? '')
    assertEffort(box, fields[index] ?? '')
  }

  // It forces a layout of the page, which is too expensive before all elements are checked.
  const layers = await watchLayers(page, session)
  const pictures = new Map<number, BakedPicture>()
  let cells = boxes.map((box, index) => cellOf({ index, box, pads: padsOf(box) }))
  while (cells.length > 0) {
    const wider: Cell[] = []
    const cut = async (shot: Shot) => {
      const asked = shot.cells.map((cell) => {
        const grown = widerCell(cell, boxes[cell.index] as Measured)
        return { cell, grown }
      })
      const cuts = await cutter.cut({
        ...shot,
        cells: asked.map(({ cell, grown }) => {
          return { ...cell, encode: { atEdge: grown === undefined, upTo: 1 } }
        }),
      })
      for (const [i, { cell, grown }] of asked.entries()) {
        const cut = cuts[i] as Cut
        const isCutOff = cut.ink !== undefined && touchesEdge(cut.ink, cell)
        if (isCutOff && grown) {
          wider.push(grown)
          continue
        }
        const own = warnings[cell.index] ?? []
        if (isCutOff) own.push(cutOff(cell))
        const box = boxes[cell.index] as Measured
        pictures.set(cell.index, pictureOf({ cut, cell, box, warnings: own }))
      }
    }
    await shootAll({ page, session, layers, boxes, cells, cut })
    cells = wider
  }
  await layers?.stop()
  return elements.map((_, index) => pictures.get(index) as BakedPicture)
}

/** Screenshot with the positions of its `cells`. */
type Shot = { png: Buffer; width: number; height: number; cells: readonly Cell[] }

/** Takes a picture of every cell; single layers are cut while the next ones are drawn. */
async function shootAll({
  page,
  session,
  layers,
  boxes,
  cells,
  cut,
}: {
  page: Page
  session: CDPSession
  layers: Layers | undefined
  boxes: readonly Measured[]
  cells: readonly Cell[]
  cut: (shot: Shot) => Promise<void>
}): Promise<void> {
  const alike = cells.filter(({ index, width, height }) => {
    return Math.max(width, height) <= (boxes[index]?.alikeUpTo ?? 0)
  })
  const snapshots = alike.length > 0 ? await layers?.snapshot(alike) : undefined
  const cuts = alike.map(async (cell) => {
    const png = await snapshots?.get(cell.index)
    const { width, height } = cell
    if (png) await cut({ png, width, height, cells: [{ ...cell, x: 0, y: 0 }] })
  })
  // The error surfaces where the cuts are awaited.
  for (const each of cuts) each.catch(() => undefined)
  const others = cells.filter(({ index }) => !snapshots?.has(index))
  for (const atlas of packCells(others)) {
    await cut({ ...atlas, png: await shoot({ page, session, atlas }) })
  }
  await Promise.all(cuts)
}

/** Gives every element its fonts and waits for them; returns the warnings by element. */
export async function dressElements({
  page,
  families,
  fonts,
  strictFonts,
  mounted,
  fields,
  own = [],
}: {
  page: Page
  /** Names of the families whose faces the page has; new ones are added. */
  families: Set<string>
  fonts: Fonts
  strictFonts: boolean
  mounted: readonly Mounted[]
  fields: readonly string[]
  /** Families whose faces the document brings with it. */
  own?: readonly string[]
}): Promise<BakeWarning[][]> {
  const styles = mounted.map(({ families, text, isCaption }) =>
    Object.entries(families).map(([computed, written]) => {
      return { computed, chain: familyChain(computed, text, { isCaption, own }), text: written }
    }),
  )
  const all = styles.flat().map(({ chain }) => chain)
  const faces: Promise<string>[] = []
  for (const { bundled, isCaption } of all) {
    for (const family of bundled) {
      const name = isCaption ? captionFamily(family) : family
      if (families.has(name)) continue
      families.add(name)
      faces.push(fonts.faces(family, { isCaption }))
    }
  }
  const { failedFonts, absent, broken } = await callInPage(page, dress, {
    faces: (await Promise.all(faces)).join('\n'),
    chains: styles.map((each) =>
      Object.fromEntries(each.map(({ computed, chain }) => [computed, chain.css])),
    ),
    foreign: [...new Set(all.flatMap((chain) => chain.foreign))].filter(
      (name) => !isAmong(own, name),
    ),
  })
  ownFailures(failedFonts, own)
  return mounted.map(({ warnings }, index) => {
    const missing = findMissing(styles[index] ?? [], absent)
    if (strictFonts) assertNothingMissing(missing, fields[index] ?? '')
    const damaged = broken.includes(index) ? [damagedPicture] : []
    return [...warnings, ...missingWarnings(missing), ...damaged]
  })
}

/**
 * Returns the document's own families among those that failed to load.
 * @throws FarmError `internal` when a bundled one failed
 */
export function ownFailures(failed: readonly string[], own: readonly string[]): string[] {
  const names = failed.flatMap((family) => familyNames(family).map(({ name }) => name))
  const bundled = names.filter((name) => !isAmong(own, name))
  if (bundled.length > 0) {
    throw new FarmError('internal', `Bundled fonts did not load: ${bundled.join(', ')}`)
  }
  return [...new Set(names)]
}

const isAmong = (families: readonly string[], name: string) =>
  families.some((family) => family.toLowerCase() === name.toLowerCase())

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

/** Elements that the time limit would end after 10 s are refused before they start. */
const maxEffortSeconds = 8

function assertEffort({ effort: { seconds, most } }: Measured, field: string): void {
  if (seconds <= maxEffortSeconds) return
  const rule = `The filters and blurs of an element must be painted within ${maxEffortSeconds} s`
  const got = `These would take some ${Math.ceil(seconds)} s, most of it for ${most}`
  throw new FarmError('element_invalid', `${rule}. ${got}`, { field })
}

/** Returns the PNG of the atlas. */
async function shoot({
  page,
  session,
  atlas,
}: {
  page: Page
  session: CDPSession
  atlas: Atlas
}): Promise<Buffer> {
  const { width, height, cells } = atlas
  await page.setViewportSize({ width, height })
  await callInPage(page, showAgain, undefined)
  await callInPage(page, place, { cells })
  const { data } = await session.send('Page.captureScreenshot', {
    format: 'png',
    optimizeForSpeed: true,
  })
  return Buffer.from(data, 'base64')
}

function pictureOf({
  cut: { ink, png },
  cell,
  box,
  warnings,
}: {
  cut: Cut
  cell: Cell
  box: Measured
  warnings: BakeWarning[]
}): BakedPicture {
  const { width, height, margin, parts } = box
  const hasMargin = Object.values(margin).some((side) => side !== 0)
  const layout = { width, height, ...(hasMargin && { margin }), ...(parts && { parts }) }
  const picture = { png: Buffer.from(png ?? []), ...layout }
  if (!ink) return { ...picture, inkX: 0, inkY: 0, inkWidth: 1, inkHeight: 1, warnings }
  return {
    ...picture,
    inkX: ink.left - cell.padLeft,
    inkY: ink.top - cell.padTop,
    inkWidth: ink.right - ink.left,
    inkHeight: ink.bottom - ink.top,
    warnings,
  }
}
