import test, { type ExecutionContext } from 'ava'
import type { DrawCommand, FrameDescription } from '../../../core/timeline/draw.ts'
import { transitionNames } from '../../../core/timeline/transitions/transitions.ts'
import { createPainter, type Painter } from '../../../worker/paint/painter.ts'
import { backends } from './backends.ts'
import { fill, frameOf, picture } from './commands.ts'
import { meanDifference, similarity } from './likeness.ts'
import { album, pixelsOf } from './textures.ts'
import { progresses } from './xfade/frames.ts'
import { element, frame, pictures, type Way, ways } from './xfade/pictures.ts'
import { expectedFrames } from './xfade/references.ts'

/** Largest differences from ffmpeg that count as the same picture. */
const mostMeanDifference = 2
const leastSimilarity = 0.98

let expected: Record<Way, ReadonlyMap<string, readonly Buffer[]>>

test.before(async () => {
  expected = {
    scenes: await expectedFrames('scenes'),
    enter: await expectedFrames('enter'),
    exit: await expectedFrames('exit'),
  }
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
    test.serial(title, (t) => paintsLikeXfade(t, name, painter))
  }
}

const blackened = /^(circlecrop|rectcrop|fadeblack|fadewhite)$/
const glass = pixelsOf(element.width, element.height, (x, y) => [255, 255, 255, (x * y) % 256])

for (const backend of backends) {
  const title = `a soft-edged white element never darkens a white ground, on ${backend.title}`
  if ('missing' in backend) {
    test.serial.skip(`${title} (${backend.missing})`, () => undefined)
    continue
  }
  const bitmap = album(backend.canvas, { element: glass })
  const painter = createPainter({ backend: backend.canvas, ...frame, bitmap })
  test.serial(title, async (t) => {
    for (const name of transitionNames.filter((each) => !blackened.test(each))) {
      for (const way of ['enter', 'exit'] as const) {
        const [, command] = change(name, { progress: 0.4, way }).commands
        if (!command) throw new Error('An element changes')
        const painted = await painter.paint(frameOf(frame, fill(whole, '#ffffff'), command))
        const darkest = painted.reduce((least, value) => Math.min(least, value), 255)
        t.true(darkest >= 252, `${way} ${name}: ${darkest}`)
      }
    }
  })
}

async function paintsLikeXfade(t: ExecutionContext, name: string, painter: Painter): Promise<void> {
  for (const way of ways) {
    for (const [at, progress] of progresses.entries()) {
      const made = expected[way].get(name)?.[at] as Buffer
      const wanted = way === 'scenes' ? made : overScene(made)
      const painted = await painter.paint(change(name, { progress, way }))
      t.true(
        painted.every((value, byte) => byte % 4 !== 3 || value === 255),
        `${way} ${progress}: opaque`,
      )
      const difference = meanDifference(painted, wanted)
      t.true(difference < mostMeanDifference, `${way} ${progress}: mean difference ${difference}`)
      const likeness = similarity(painted, wanted, frame)
      t.true(likeness > leastSimilarity, `${way} ${progress}: similarity ${likeness}`)
    }
  }
}

const whole = [0, 0, frame.width, frame.height] as const

/** The change of scenes over black, or of an element over the first scene. */
function change(name: string, { progress, way }: { progress: number; way: Way }): FrameDescription {
  const transition = { op: 'transition', name, progress } as const
  if (way === 'scenes') {
    const scene = (digest: string) => [fill(whole, '#ffffff'), picture(digest, frame)]
    const sides = { from: scene('from'), to: scene('to') }
    return frameOf(frame, fill(whole, '#000000'), { ...transition, box: whole, ...sides })
  }
  const box = [element.x, element.y, element.width, element.height] as const
  const shown: DrawCommand[] = [picture('element', element, { dest: box })]
  const sides = way === 'enter' ? { from: [], to: shown } : { from: shown, to: [] }
  return frameOf(frame, picture('from', frame), { ...transition, box, ...sides })
}

/** Premultiplied pixels of the element's box over the first scene. */
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
