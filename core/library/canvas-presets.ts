import { presets } from '../project/schema/names.ts'
import type { LibraryPart } from './part.ts'

/** The language's resolutions, as settings of a project. */
export const canvasPresets: readonly LibraryPart[] = Object.entries(presets).map(
  ([resolution, [width, height]]) => ({
    slug: resolution,
    title: titleOf(resolution),
    description: `${width} by ${height} px, ${formOf(width, height)}`,
    ...{ category: 'canvas', width, height },
    content: { resolution, width, height },
  }),
)

function titleOf(resolution: string): string {
  const words = resolution.replaceAll('-', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

function formOf(width: number, height: number): string {
  if (width === height) return 'square'
  return width > height ? 'landscape' : 'portrait'
}
