import { createRequire } from 'node:module'
import type { SKRSContext2D } from '@napi-rs/canvas'

export type CanvasLibrary = typeof import('@napi-rs/canvas')
export type SheetContext = SKRSContext2D

/** Colours of a contact sheet, and the font of the labels on it. */
export const sheetLook = {
  ...{ background: '#16181d', label: '#e8eaed' },
  font: '13px "Farm Sheet"',
}

const fontName = 'Farm Sheet'
let library: Promise<CanvasLibrary> | undefined

/** Loads the library once, with the farm's own font: machines have different fonts, or none. */
export function loadSheetCanvas(): Promise<CanvasLibrary> {
  library ??= import('@napi-rs/canvas').then((canvas) => {
    const { resolve } = createRequire(import.meta.url)
    const font = resolve('@fontsource-variable/inter/files/inter-latin-wght-normal.woff2')
    if (!canvas.GlobalFonts.registerFromPath(font, fontName)) {
      throw new Error(`The font of a sheet must be readable. Got ${font}`)
    }
    return canvas
  })
  return library
}
