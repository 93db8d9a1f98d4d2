import test from 'ava'
import { movingArea } from '../../../core/plan/moving-area.ts'
import type { DrawCommand } from '../../../core/timeline/draw.ts'
import { createYuvConverter } from '../../../worker/encode/yuv/yuv.ts'
import { PatchedFrames } from '../../../worker/frames/patched-frames.ts'
import { openNapiCanvas } from '../../../worker/paint/napi-canvas.ts'
import { createPainter } from '../../../worker/paint/painter.ts'
import { fill, frameOf, picture } from '../paint/commands.ts'
import { album, badge, pixelsOf, texture } from '../paint/textures.ts'

/** Compares patched frames with the same frames painted whole. */

const size = { width: 334, height: 186 }
const canvas = openNapiCanvas()
const photo = { width: 481, height: 301 }
const small = { width: 60, height: 40 }
/** Sharp from pixel to pixel: a shift of a sixteenth shows. */
const grain = pixelsOf(200, 150, (x, y) => {
  const value = ((x * 7_919 + y * 104_729) ** 2 % 251) % 2 ? 255 : 0
  return [value, 255 - value, value, 255]
})
const bitmap = album(canvas, {
  ...{ photo: texture(photo.width, photo.height, 1), badge: badge(small.width, small.height, 4) },
  ...{ grain },
  shine: badge(size.width, size.height, 5),
})

const ground = fill([0, 0, size.width, size.height], '#2c5a70')
/** Scaled, so that its pixels lie between the canvas's. */
const board = picture('photo', photo, { dest: [-7.3, -3.1, 351.7, 204.4] })
const shine = picture('shine', size, { opacity: 0.4 })
const at = (x: number, y: number, changes = {}) =>
  picture('badge', small, { matrix: [1, 0, 0, 1, x, y], ...changes })

const turned = (degrees: number, x: number, y: number) => {
  const [sin, cos] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)]
  return picture('badge', small, { matrix: [cos, sin, -sin, cos, x, y] })
}

const enter = (name: string, progress: number): DrawCommand => ({
  ...{ op: 'transition', name, progress, box: [101, 60, 60, 40], from: [] },
  to: [at(101, 60)],
})

const moving: Record<string, (nth: number) => readonly DrawCommand[]> = {
  'a badge that slides over a colour': (nth) => [ground, at(20.25 + nth * 3.5, 31.75)],
  'a badge that slides over a scaled photograph': (nth) => [ground, board, at(20 + nth * 3.3, 40)],
  'a badge that slides over a photograph fitted to whole pixels': (nth) => [
    ...[ground, picture('grain', grain, { dest: [0, 0, 300, 200] }), at(20 + nth * 3, 41)],
  ],
  'a badge that slides below what shines': (nth) => [ground, board, at(20 + nth * 5, 40), shine],
  'a badge that turns': (nth) => [ground, board, turned(nth * 7, 120, 60)],
  'a badge that leaves the canvas': (nth) => [ground, at(300 + nth * 9, 160 + nth * 3)],
  'a badge that fades': (nth) => [ground, board, at(50, 50, { opacity: (nth + 1) / 13 })],
  'a badge that blurs': (nth) => [ground, board, at(50, 50, { filter: { blur: 1 + nth } })],
  'a badge that wipes in': (nth) => [ground, board, enter('wipeleft', nth / 12)],
  'a badge that dissolves': (nth) => [ground, board, enter('dissolve', nth / 12)],
  'a badge that opens like a circle': (nth) => [ground, board, enter('circleopen', nth / 12)],
  'rounded corners that grow': (nth) => [
    ...[ground, board],
    at(61, 47, { clip: { rect: [0, 0, 60, 40], radii: [nth, nth, nth, nth] } }),
  ],
}

type Frame = { readonly commands: readonly DrawCommand[] }

/** Paints whole frames as YUV, by a painter and a converter of their own. */
function wholeMaker() {
  const painter = createPainter({ backend: canvas, bitmap, ...size })
  const yuv = createYuvConverter(size)
  return async (commands: Frame['commands']) =>
    yuv.convert(await painter.paint(frameOf(size, ...commands)))
}

function patchedOf(frames: readonly Frame[]): PatchedFrames {
  const area = movingArea(frames, size)
  if (!area) throw new Error('an area moves')
  const [, , width, height] = area
  const painter = createPainter({ backend: canvas, bitmap, width, height, whole: size })
  return new PatchedFrames({ area, size, painter, makeWhole: wholeMaker() })
}

for (const [what, commandsAt] of Object.entries(moving)) {
  test(`${what} is painted in its area as on the whole canvas`, async (t) => {
    const frames = Array.from({ length: 12 }, (_, nth) => ({ commands: commandsAt(nth) }))
    const patched = patchedOf(frames)
    const makeWhole = wholeMaker()
    for (const { commands } of frames) {
      const made = await patched.make(commands)
      const whole = await makeWhole(commands)
      t.is(made.length, whole.length)
      const most = whole.reduce(
        (far, value, i) => Math.max(far, Math.abs(value - (made[i] ?? 999))),
        0,
      )
      t.true(most <= 1, `a sample is ${most} off`)
    }
  })
}

test('a frame stays as it is while the next is made', async (t) => {
  const frames = Array.from({ length: 4 }, (_, nth) => ({
    commands: [ground, at(20 + 9 * nth, 40)],
  }))
  const patched = patchedOf(frames)
  let last = await patched.make(frames[0]?.commands ?? [])
  for (const { commands } of frames.slice(1)) {
    const before = Buffer.from(last)
    const made = await patched.make(commands)
    t.deepEqual(last, before)
    t.notDeepEqual(made, before)
    last = made
  }
})
