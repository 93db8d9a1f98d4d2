import test, { type ExecutionContext } from 'ava'
import type { Canvas } from '../../../worker/paint/canvas.ts'
import { backends } from './backends.ts'
import { badge, pixelAt, pixelsOf, type Rgba } from './textures.ts'

const white: Rgba = [255, 255, 255, 255]
const black: Rgba = [0, 0, 0, 255]
const clear: Rgba = [0, 0, 0, 0]

/** Properties that the painter relies on; every backend passes every case. */
const cases: Record<string, (t: ExecutionContext, canvas: Canvas) => Promise<void>> = {
  async 'reads pixels back premultiplied, rows top first'(t, canvas) {
    const surface = canvas.createSurface(4, 2)
    surface.context.fillStyle = '#ff8000'
    surface.context.globalAlpha = 0.5
    surface.context.fillRect(1, 0, 2, 1)
    const pixels = await canvas.readPixels(surface)
    t.is(pixels.length, 4 * 2 * 4)
    near(t, pixelAt(pixels, 4, [0, 0]), clear)
    near(t, pixelAt(pixels, 4, [1, 0]), [128, 64, 0, 128])
    near(t, pixelAt(pixels, 4, [1, 1]), clear)
  },

  async 'takes straight alpha and keeps a copy of the bytes'(t, canvas) {
    const pixels = pixelsOf(2, 1, (x) => (x === 0 ? [200, 100, 50, 255] : [200, 100, 50, 51]))
    const bitmap = canvas.bitmapFromRgba(pixels)
    pixels.rgba.fill(7)
    t.is(bitmap.width, 2)
    t.is(bitmap.height, 1)
    const surface = canvas.createSurface(2, 1)
    surface.context.drawImage(bitmap, 0, 0)
    const painted = await canvas.readPixels(surface)
    near(t, pixelAt(painted, 2, [0, 0]), [200, 100, 50, 255])
    near(t, pixelAt(painted, 2, [1, 0]), [40, 20, 10, 51])
  },

  async 'puts new pixels into a bitmap that is given back, and leaves what was drawn of it'(
    t,
    canvas,
  ) {
    const of = (red: number) => pixelsOf(2, 1, (x) => [red, 0, 0, x === 0 ? 255 : 0])
    const first = canvas.bitmapFromRgba(of(200))
    const surface = canvas.createSurface(4, 1)
    surface.context.drawImage(first, 0, 0)
    const second = canvas.bitmapFromRgba(of(90), first)
    surface.context.drawImage(second, 2, 0)
    const painted = await canvas.readPixels(surface)
    const reds = [0, 1, 2, 3].map((x) => pixelAt(painted, 4, [x, 0])[0])
    t.deepEqual(reds, [200, 0, 90, 0])
  },

  async 'reads a bitmap as it reads what the bitmap is drawn on'(t, canvas) {
    const { width, height, rgba } = badge(60, 40, 4)
    const bitmap = canvas.bitmapFromRgba({ width, height, rgba })
    const surface = canvas.createSurface(width, height)
    surface.context.drawImage(bitmap, 0, 0)
    const painted = await canvas.readPixels(surface)
    t.deepEqual(await canvas.readPixels(bitmap), painted)
    t.deepEqual(await canvas.readPixels(surface.bitmap), painted)
  },

  async 'draws a surface as it is at that moment'(t, canvas) {
    const source = canvas.createSurface(1, 1)
    const target = canvas.createSurface(2, 1)
    source.context.fillStyle = '#ff0000'
    source.context.fillRect(0, 0, 1, 1)
    target.context.drawImage(source.bitmap, 0, 0)
    source.context.fillStyle = '#0000ff'
    source.context.fillRect(0, 0, 1, 1)
    target.context.drawImage(source.bitmap, 1, 0)
    const pixels = await canvas.readPixels(target)
    t.deepEqual(pixelAt(pixels, 2, [0, 0]), [255, 0, 0, 255])
    t.deepEqual(pixelAt(pixels, 2, [1, 0]), [0, 0, 255, 255])
  },

  async 'averages two pixels into one when it halves a picture'(t, canvas) {
    const stripes = canvas.bitmapFromRgba(pixelsOf(64, 64, (x) => (x % 2 === 0 ? white : black)))
    const surface = canvas.createSurface(32, 32)
    surface.context.imageSmoothingQuality = 'low'
    surface.context.drawImage(stripes, 0, 0, 64, 64, 0, 0, 32, 32)
    const pixels = await canvas.readPixels(surface)
    for (let x = 0; x < 32; x++) near(t, pixelAt(pixels, 32, [x, 9]), [128, 128, 128, 255])
  },

  async 'repeats a line exactly without smoothing'(t, canvas) {
    const line = pixelsOf(5, 1, (x) => [0, 0, 0, x * 60])
    const surface = canvas.createSurface(5, 40)
    surface.context.imageSmoothingEnabled = false
    surface.context.drawImage(canvas.bitmapFromRgba(line), 0, 0, 5, 1, 0, 0, 5, 40)
    const pixels = await canvas.readPixels(surface)
    for (let y = 0; y < 40; y++) {
      for (let x = 0; x < 5; x++) t.is(pixelAt(pixels, 5, [x, y])[3], x * 60)
    }
  },

  async 'weighs and adds by alpha without remainder'(t, canvas) {
    const weights = canvas.bitmapFromRgba(pixelsOf(256, 1, (x) => [0, 0, 0, x]))
    const sides = (['destination-in', 'destination-out'] as const).map((operation) => {
      const { bitmap, context } = canvas.createSurface(256, 1)
      context.fillStyle = '#ffffff'
      context.fillRect(0, 0, 256, 1)
      context.globalCompositeOperation = operation
      context.drawImage(weights, 0, 0)
      return bitmap
    })
    const sum = canvas.createSurface(256, 1)
    sum.context.globalCompositeOperation = 'lighter'
    for (const side of sides) sum.context.drawImage(side, 0, 0)
    const pixels = await canvas.readPixels(sum)
    t.true(pixels.every((value) => value === 255))
  },

  async 'clips by rectangle and by rounded rectangle until restored'(t, canvas) {
    const surface = canvas.createSurface(40, 20)
    const { context } = surface
    context.fillStyle = '#ffffff'
    context.save()
    context.beginPath()
    context.rect(2, 2, 10, 10)
    context.clip()
    context.fillRect(0, 0, 40, 20)
    context.restore()
    context.save()
    context.beginPath()
    context.roundRect(20, 0, 20, 20, [10, 0, 10, 0])
    context.clip()
    context.fillRect(0, 0, 40, 20)
    context.restore()
    const pixels = await canvas.readPixels(surface)
    t.deepEqual(pixelAt(pixels, 40, [1, 5]), clear)
    t.deepEqual(pixelAt(pixels, 40, [2, 2]), white)
    t.deepEqual(pixelAt(pixels, 40, [11, 11]), white)
    t.deepEqual(pixelAt(pixels, 40, [12, 11]), clear)
    t.deepEqual(pixelAt(pixels, 40, [21, 1]), clear)
    t.deepEqual(pixelAt(pixels, 40, [39, 0]), white)
    t.deepEqual(pixelAt(pixels, 40, [30, 10]), white)
    t.deepEqual(pixelAt(pixels, 40, [38, 18]), clear)
  },

  async 'forgets everything on reset'(t, canvas) {
    const surface = canvas.createSurface(8, 8)
    const { context } = surface
    context.save()
    context.beginPath()
    context.rect(0, 0, 1, 1)
    context.clip()
    context.setTransform(2, 0, 0, 2, 3, 3)
    context.globalAlpha = 0.1
    context.globalCompositeOperation = 'destination-in'
    context.fillStyle = '#ff0000'
    context.fillRect(0, 0, 8, 8)
    context.reset()
    t.true((await canvas.readPixels(surface)).every((value) => value === 0))
    context.fillStyle = '#00ff00'
    context.fillRect(4, 4, 1, 1)
    const pixels = await canvas.readPixels(surface)
    t.deepEqual(pixelAt(pixels, 8, [4, 4]), [0, 255, 0, 255])
    t.is(pixels.filter((value) => value > 0).length, 2)
  },

  async 'reads several surfaces at once'(t, canvas) {
    const reads = Array.from({ length: 8 }, async (_, shade) => {
      const surface = canvas.createSurface(200, 100)
      surface.context.fillStyle = `rgb(${shade}, ${shade * 2}, ${shade * 3})`
      surface.context.fillRect(0, 0, 200, 100)
      return canvas.readPixels(surface)
    })
    const pixels = await Promise.all(reads)
    pixels.forEach((read, shade) => {
      t.deepEqual(pixelAt(read, 200, [199, 99]), [shade, shade * 2, shade * 3, 255])
    })
  },

  async 'reads only its own surfaces'(t, canvas) {
    const { bitmap, context } = canvas.createSurface(1, 1)
    await t.throwsAsync(canvas.readPixels({ bitmap, context }), {
      message: 'A surface must be read by the backend that made it',
    })
  },
}

for (const backend of backends) {
  for (const [title, run] of Object.entries(cases)) {
    if ('missing' in backend) {
      test.skip(`${backend.title} ${title} (${backend.missing})`, () => undefined)
    } else {
      test(`${backend.title} ${title}`, (t) => run(t, backend.canvas))
    }
  }
}

/** Compares up to rounding. */
function near(t: ExecutionContext, seen: Rgba, expected: Rgba): void {
  const close = seen.every((value, at) => Math.abs(value - (expected[at] ?? 0)) <= 1)
  t.true(close, `expected about ${expected}. Got ${seen}`)
}
