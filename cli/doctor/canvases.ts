import type { Canvas } from '../../worker/paint/canvas.ts'
import { probe } from '../../worker/paint/choose.ts'
import { type Finding, missing, ok, optional } from './finding.ts'

/** Loads both Skia libraries, paints the probe with each and names the device it ran on. */
export async function examineCanvases(): Promise<readonly Finding[]> {
  const cpu = await examine('Skia on CPU', async () => {
    const { openNapiCanvas } = await import('../../worker/paint/napi-canvas.ts')
    return openNapiCanvas()
  })
  const gpu = await examine('Skia on GPU', async () => {
    const { openSkiaCanvas } = await import('../../worker/paint/skia-canvas.ts')
    return openSkiaCanvas()
  })
  return [
    'failure' in cpu
      ? missing('Skia on CPU', cpu.failure, 'run `npm ci`')
      : ok('Skia on CPU', cpu.facts),
    gpuFinding(gpu),
  ]
}

type Examined = { canvas: Canvas; facts: string } | { failure: string }

function gpuFinding(gpu: Examined): Finding {
  const name = 'Skia on GPU'
  const advice = 'paints on the CPU; a GPU with a Vulkan driver or Metal is needed'
  if ('failure' in gpu) return optional(name, `skia-canvas does not load: ${gpu.failure}`, advice)
  return gpu.canvas.isGpu ? ok(name, gpu.facts) : optional(name, 'no real GPU found', advice)
}

async function examine(name: string, open: () => Promise<Canvas>): Promise<Examined> {
  try {
    const canvas = await open()
    const ms = await probe(canvas)
    const device = canvas.isGpu ? `${canvas.device}, ` : ''
    return { canvas, facts: `${device}${ms.toFixed(1)} ms a 720p frame` }
  } catch (error) {
    return { failure: error instanceof Error ? error.message : `${name} threw ${String(error)}` }
  }
}
