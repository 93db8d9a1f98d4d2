import test from 'ava'
import type { DrawCommand, FrameDescription } from '../../../core/timeline/draw.ts'
import { transitionNames } from '../../../core/timeline/transitions.ts'
import { createPainter } from '../../../worker/paint/painter.ts'
import { backends } from './backends.ts'
import { meanDifference, similarity } from './likeness.ts'
import { album, badge, premultiplied, texture } from './textures.ts'
import { xfadeFrames } from './xfade.ts'

const frame = { width: 322, height: 182 }
// Odd sizes: xfade rounds to whole pixels.
const element = { x: 37, y: 21, width: 203, height: 131 }

const pictures = {
  from: texture(frame.width, frame.height, 1),
  to: texture(frame.width, frame.height, 2),
  element: badge(element.width, element.height, 3),
}

/** Largest differences from ffmpeg that count as the same picture. */
const mostMeanDifference = 2
const leastSimilarity = 0.98

const ofScenes = once((name: string) =>
  xfadeFrames(name, { from: pictures.from.rgba, to: pictures.to.rgba, ...frame }),
)
const ofElement = once((name: string, way: 'enter' | 'exit') => {
  const full = premultiplied(pictures.element)
  const none = new Uint8Array(full.length)
  const { width, height } = element
  const sides = way === 'enter' ? { from: none, to: full } : { from: full, to: none }
  return xfadeFrames(name, { ...sides, width, height })
})

for (const backend of backends) {
  for (const name of transitionNames) {
    const title = `${name} paints what ffmpeg's xfade does, on ${backend.title}`
    if ('missing' in backend) {
      test.serial.skip(`${title} (${backend.missing})`, () => undefined)
      continue
    }
    const { canvas } = backend
    const painter = createPainter({ backend: canvas, ...frame, bitmap: album(canvas, pictures) })

    test.serial(`${title}: two opaque scenes`, async (t) => {
      for (const { progress, pixels } of await ofScenes(name)) {
        const painted = await painter.paint(sceneChange(name, progress))
        t.true(
          painted.every((value, at) => at % 4 !== 3 || value === 255),
          'opaque',
        )
        const difference = meanDifference(painted, pixels)
        t.true(difference < mostMeanDifference, `${progress}: mean difference ${difference}`)
        const likeness = similarity(painted, pixels, frame)
        t.true(likeness > leastSimilarity, `${progress}: similarity ${likeness}`)
      }
    })

    test.serial(`${title}: an element that enters and leaves over a scene`, async (t) => {
      for (const way of ['enter', 'exit'] as const) {
        for (const { progress, pixels } of await ofElement(name, way)) {
          const painted = await painter.paint(elementChange(name, { progress, way }))
          const expected = overScene(pixels)
          const difference = meanDifference(painted, expected)
          t.true(difference < mostMeanDifference, `${way} ${progress}: difference ${difference}`)
          const likeness = similarity(painted, expected, frame)
          t.true(likeness > leastSimilarity, `${way} ${progress}: similarity ${likeness}`)
        }
      }
    })
  }
}

function wholeFrame(digest: string): DrawCommand {
  const whole = [0, 0, frame.width, frame.height] as const
  const pixels = { kind: 'media', digest } as const
  return {
    op: 'picture',
    pixels,
    source: whole,
    dest: whole,
    matrix: [1, 0, 0, 1, 0, 0],
    opacity: 1,
  }
}

function sceneChange(name: string, progress: number): FrameDescription {
  const box = [0, 0, frame.width, frame.height] as const
  const fill = { op: 'fill', rect: box, color: '#ffffff' } as const
  return {
    ...frame,
    commands: [
      { op: 'fill', rect: box, color: '#000000' },
      {
        op: 'transition',
        name,
        progress,
        box,
        from: [fill, wholeFrame('from')],
        to: [fill, wholeFrame('to')],
      },
    ],
  }
}

function elementChange(
  name: string,
  { progress, way }: { progress: number; way: 'enter' | 'exit' },
): FrameDescription {
  const box = [element.x, element.y, element.width, element.height] as const
  const side: DrawCommand[] = [
    {
      op: 'picture',
      pixels: { kind: 'bake', digest: 'element' },
      source: [0, 0, element.width, element.height],
      dest: box,
      matrix: [1, 0, 0, 1, 0, 0],
      opacity: 1,
    },
  ]
  const sides = way === 'enter' ? { from: [], to: side } : { from: side, to: [] }
  return {
    ...frame,
    commands: [wholeFrame('from'), { op: 'transition', name, progress, box, ...sides }],
  }
}

/** Premultiplied pixels of the element's box over the scene. */
function overScene(pixels: Uint8Array): Uint8Array {
  const scene = Uint8Array.from(pictures.from.rgba)
  for (let y = 0; y < element.height; y++) {
    for (let x = 0; x < element.width; x++) {
      const at = (y * element.width + x) * 4
      const on = ((y + element.y) * frame.width + x + element.x) * 4
      const through = 1 - (pixels[at + 3] ?? 0) / 255
      for (let channel = 0; channel < 4; channel++) {
        scene[on + channel] = Math.round(
          (pixels[at + channel] ?? 0) + (scene[on + channel] ?? 0) * through,
        )
      }
    }
  }
  return scene
}

/** The backends are compared with the same frames of ffmpeg. */
function once<Arguments extends string[], Result>(
  make: (...given: Arguments) => Result,
): (...given: Arguments) => Result {
  const made = new Map<string, Result>()
  return (...given) => {
    const key = given.join(' ')
    const result = made.get(key) ?? make(...given)
    made.set(key, result)
    return result
  }
}
