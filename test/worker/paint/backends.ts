import type { Canvas } from '../../../worker/paint/canvas.ts'
import { openNapiCanvas } from '../../../worker/paint/napi-canvas.ts'
import { openSkiaCanvas } from '../../../worker/paint/skia-canvas.ts'

/** The canvas backends of this machine; `missing` says why one is not tried. */
type Backend =
  | { readonly title: string; readonly canvas: Canvas }
  | { readonly title: string; readonly missing: string }

export const backends: readonly Backend[] = [
  { title: '@napi-rs/canvas', canvas: openNapiCanvas() },
  { title: 'skia-canvas on the CPU', canvas: openSkiaCanvas({ device: 'cpu' }) },
  skiaOnVulkan(),
]

function skiaOnVulkan(): Backend {
  const title = 'skia-canvas on its GPU path'
  const canvas = openSkiaCanvas({ device: 'any' })
  if (canvas.device !== 'CPU') return { title, canvas }
  return { title, missing: 'no Vulkan or Metal device here, not even a software one' }
}
