import test, { type ExecutionContext } from 'ava'
import { layersOfRuns } from '../../../core/plan/layers.ts'
import type { DrawCommand, PictureCommand } from '../../../core/timeline/draw.ts'
import { createYuvConverter } from '../../../worker/encode/yuv/yuv.ts'
import { Composer } from '../../../worker/paint/layers/composer.ts'
import { openNapiCanvas } from '../../../worker/paint/napi-canvas.ts'
import { createPainter } from '../../../worker/paint/painter.ts'
import { createCopies } from '../../../worker/paint/pictures.ts'
import { fill, frameOf, picture } from './commands.ts'
import { album, badge, pixelsOf, texture } from './textures.ts'

/** Compares the composer's result with the painter's, in steps of 255. */

/** Rows of a length that is no multiple of a vector. */
const size = { width: 334, height: 186 }
const canvas = openNapiCanvas()
const large = { width: 481, height: 301 }
const huge = { width: 1100, height: 700 }
const bitmap = album(canvas, {
  ...{
    first: texture(large.width, large.height, 1),
    second: texture(large.width, large.height, 2),
  },
  ...{ huge: texture(huge.width, huge.height, 3), badge: badge(60, 40, 4) },
  shines: badge(large.width, large.height, 5),
  pixel: pixelsOf(1, 1, () => [200, 20, 30, 255]),
  line: pixelsOf(1, 100, () => [200, 20, 30, 255]),
})

const ground = fill([0, 0, size.width, size.height], '#2c5a70')

/** A photograph that covers the canvas and extends beyond it by a share of its size. */
function zoomed(digest: string, of: typeof large, by: number, changes = {}): PictureCommand {
  const [width, height] = [size.width * (1 + by), size.height * (1 + by)]
  const dest = [(size.width - width) / 2, (size.height - height) / 2, width, height] as const
  return picture(digest, of, { dest, ...changes })
}

function fade(
  progress: number,
  to: readonly DrawCommand[],
  from: readonly DrawCommand[] = [],
): DrawCommand {
  const box = [0, 0, size.width, size.height] as const
  return { op: 'transition', name: 'fade', progress, box, from, to }
}

const above = () => [
  fill([20, 120, 101, 31], '#000000'),
  picture('badge', { width: 60, height: 40 }, { matrix: [1, 0, 0, 1, 33.25, 101.5] }),
]

async function differences(t: ExecutionContext, frames: readonly (readonly DrawCommand[])[]) {
  const layers = layersOfRuns(
    frames.map((commands) => ({ commands })),
    size,
  )
  if (!layers) throw new Error('these frames are painted')
  const composer = new Composer({ canvas, copies: createCopies(), bitmap, ...size })
  t.true(await composer.canCompose(layers))
  const painter = createPainter({ backend: canvas, bitmap, ...size })
  const yuv = createYuvConverter(size)
  const luma = { most: 0, mean: 0 }
  const chroma = { most: 0, mean: 0 }
  const pixels = size.width * size.height
  for (const [i, commands] of frames.entries()) {
    const composed = await composer.compose(layers[i] ?? [])
    const painted = yuv.convert(await painter.paint(frameOf(size, ...commands)))
    t.is(composed.length, painted.length)
    for (const [at, value] of painted.entries()) {
      const off = Math.abs(value - (composed[at] ?? 999))
      const plane = at < pixels ? luma : chroma
      plane.most = Math.max(plane.most, off)
      plane.mean += off / frames.length / (at < pixels ? pixels : pixels / 2)
    }
  }
  return { luma, chroma }
}

const moving: [string, (i: number) => DrawCommand[]][] = [
  ['zooms', (i: number) => [ground, zoomed('first', large, i / 90)]],
  [
    'zooms and is much larger than the canvas',
    (i: number) => [ground, zoomed('huge', huge, i / 90)],
  ],
  [
    'is cropped between its pixels',
    (i: number) => [
      ground,
      zoomed('first', large, i / 50, { source: [10.5, 20.25, 400.5, 225.75 - i / 10] }),
    ],
  ],
  [
    'moves by its matrix',
    (i: number) => [ground, zoomed('first', large, 0.1, { matrix: [1, 0, 0, 1, i / 3, -i / 7] })],
  ],
  [
    'fades over another one',
    (i: number) => [
      zoomed('first', large, 0.1 + i / 90),
      fade((i + 1) / 32, [zoomed('second', large, i / 90)]),
    ],
  ],
  [
    'fades in while it fades out',
    (i: number) => [
      zoomed('first', large, 0.1 + i / 90),
      fade((i + 1) / 32, [], [fade((i + 1) / 40, [zoomed('second', large, i / 90)])]),
    ],
  ],
  ['is a single pixel', (i: number) => [ground, zoomed('pixel', { width: 1, height: 1 }, i / 90)]],
  ['is a line', (i: number) => [ground, zoomed('line', { width: 1, height: 100 }, i / 90)]],
  [
    'lies half transparent over another one',
    (i: number) => [
      zoomed('first', large, 0.1 + i / 90),
      zoomed('second', large, i / 90, { opacity: 0.4 }),
    ],
  ],
  ['has words above it', (i: number) => [ground, zoomed('first', large, i / 90), ...above()]],
  [
    'leads as a scene into another scene',
    (i: number) => [
      ground,
      fade(
        (i + 1) / 32,
        [ground, zoomed('second', large, i / 90), ...above()],
        [ground, zoomed('first', large, 0.1 + i / 90), ...above().slice(1)],
      ),
    ],
  ],
]

for (const [what, frameAt] of moving) {
  test(`a photograph that ${what} is composed as it is painted`, async (t) => {
    const frames = Array.from({ length: 30 }, (_, i) => frameAt(i))
    const { luma, chroma } = await differences(t, frames)
    // Skia samples between pixels in sixteenths: at a hard edge that is as much.
    t.true(luma.most <= 8, `a pixel is off by ${luma.most}`)
    t.true(luma.mean < 0.7, `pixels are off by ${luma.mean}`)
    // Colours of a photograph have half its resolution before they are scaled, as those of a clip.
    t.true(chroma.most <= 20, `a colour is off by ${chroma.most}`)
    t.true(chroma.mean < 1.5, `colours are off by ${chroma.mean}`)
  })
}

test('a still photograph below what moves gives the bytes it gives alone', async (t) => {
  const words = (i: number) =>
    picture('badge', { width: 60, height: 40 }, { matrix: [1, 0, 0, 1, 33 + i * 4, 101] })
  const still = [ground, zoomed('first', large, 0.1)]
  const frames = Array.from({ length: 12 }, (_, i) => {
    const ofAnother = [ground, zoomed(i % 8 === 6 ? 'second' : 'first', large, 0.1 + (i >> 3))]
    const between = i === 11 ? [words(3), zoomed('second', large, 0.2, { opacity: 0.4 })] : []
    return [...(i < 5 ? still : ofAnother), ...between, words(i)]
  })
  const layers = layersOfRuns(
    frames.map((commands) => ({ commands })),
    size,
  )
  if (!layers) throw new Error('these frames are painted')
  const context = { canvas, copies: createCopies(), bitmap, ...size }
  const composer = new Composer(context)
  for (const [i, frame] of layers.entries()) {
    const made = Buffer.from(await composer.compose(frame))
    t.true(made.equals(await new Composer(context).compose(frame)), `frame ${i}`)
  }
})

test('pictures partly clear, or too large for the room, are not composed', async (t) => {
  const huger = canvas.createSurface(8_000, 6_000)
  huger.context.fillStyle = '#123456'
  huger.context.fillRect(0, 0, 8_000, 6_000)
  const canCompose = (frameAt: (i: number) => DrawCommand) => {
    const frames = Array.from({ length: 8 }, (_, i) => ({ commands: [frameAt(i)] }))
    const context = {
      ...{ canvas, copies: createCopies(), ...size },
      bitmap: (pixels: { digest: string }) =>
        pixels.digest === 'huger' ? huger.bitmap : bitmap(pixels),
    }
    return new Composer(context).canCompose(layersOfRuns(frames, size) ?? [[]])
  }
  t.true(await canCompose((i) => zoomed('first', large, i)))
  t.false(await canCompose((i) => zoomed('shines', large, i)))
  t.true(await canCompose((i) => zoomed('huger', huger.bitmap, i)))
  t.false(await canCompose((i) => zoomed('huger', huger.bitmap, 13 + i)))
})
