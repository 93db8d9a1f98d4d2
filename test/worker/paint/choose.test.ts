import test from 'ava'
import { chooseCanvas } from '../../../worker/paint/choose.ts'
import { isRealGpu } from '../../../worker/paint/skia-canvas.ts'

test('a software device is no GPU, whatever the library calls it', (t) => {
  const software = [
    'llvmpipe (LLVM 15.0.6, 256 bits)',
    'SwiftShader Device (Subzero)',
    'Lavapipe',
    'Microsoft Basic Render (Software Rasterizer)',
  ]
  for (const device of software) t.false(isRealGpu({ renderer: 'GPU', device }), device)
  t.false(isRealGpu({ renderer: 'CPU', device: 'NVIDIA H100' }))
  t.true(isRealGpu({ renderer: 'GPU', device: 'NVIDIA H100 80GB HBM3' }))
  t.true(isRealGpu({ renderer: 'GPU', device: 'Apple M3' }))
})

test('a node takes the given backend and reports its device', async (t) => {
  const napi = await chooseCanvas('napi')
  t.is(napi.canvas.name, 'napi')
  t.false(napi.canvas.isGpu)
  const skia = await chooseCanvas('skia')
  t.is(skia.canvas.name, 'skia')
  t.is(skia.canvas.isGpu, skia.canvas.device !== 'CPU')
  if (!skia.canvas.isGpu) t.regex(skia.reason, /no real GPU found/)
})

test('a node on auto leaves the CPU only for a real GPU', async (t) => {
  const { canvas: told } = await chooseCanvas('skia')
  const { canvas, reason } = await chooseCanvas('auto')
  if (told.isGpu) t.regex(reason, /ms a frame on .* ms on the CPU/)
  else t.deepEqual([canvas.name, reason], ['napi', 'skia-canvas finds no real GPU'])
})
