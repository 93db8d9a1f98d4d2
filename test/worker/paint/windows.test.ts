import test, { type ExecutionContext } from 'ava'
import type { DrawCommand, TransitionCommand } from '../../../core/timeline/draw.ts'
import type { Rect } from '../../../core/timeline/rect.ts'
import { transitionNames } from '../../../core/timeline/transitions/transitions.ts'
import type { Canvas } from '../../../worker/paint/canvas.ts'
import { createPainter } from '../../../worker/paint/painter.ts'
import { backends } from './backends.ts'
import { fill, frameOf, picture } from './commands.ts'
import { meanDifference } from './likeness.ts'
import { album, badge } from './textures.ts'

const size = { width: 96, height: 64 }
/** A larger canvas with a margin around the same picture. */
const margin = 48
const wide = { width: size.width + 2 * margin, height: size.height + 2 * margin }

const pictures = { badge: badge(90, 70, 2) }

const cases: Record<string, (t: ExecutionContext, canvas: Canvas) => Promise<void>> = {
  async 'paints what hangs over the edge like on a larger canvas'(t, canvas) {
    for (const name of transitionNames) {
      for (const place of [
        [-30, -25],
        [41, 33],
      ] as const) {
        await sameWithRoom(t, canvas, (x, y) => [coming(name, boxAt(place, x, y))])
      }
    }
  },

  async 'paints what hangs out of a box at the edge of the canvas like on a larger one'(t, canvas) {
    for (const name of transitionNames) {
      for (const way of ['from', 'to'] as const) {
        await sameWithRoom(t, canvas, (x, y) => {
          const around = boxAt([-30, -25], x, y)
          const box: Rect = [around[0] + 14, around[1] + 9, around[2] - 25, around[3] - 31]
          const shown = picture('badge', { width: around[2], height: around[3] }, { dest: around })
          const sides = { from: [], to: [], [way]: [shown] }
          return [{ op: 'transition', name, progress: 0.4, box, around, ...sides }]
        })
      }
    }
  },

  async 'paints an exit of what still enters, at the edge of the canvas'(t, canvas) {
    for (const inner of ['circleopen', 'pixelize', 'hblur', 'squeezeh']) {
      for (const outer of ['slideright', 'rectcrop', 'zoomin', 'squeezev', 'hblur', 'dissolve']) {
        await sameWithRoom(t, canvas, (x, y) => {
          const box = boxAt([-40, -12], x, y)
          const from = [coming(inner, box)]
          return [{ op: 'transition', name: outer, progress: 0.3, box, from, to: [] }]
        })
      }
    }
  },

  async 'works out no more of a huge element than what is seen'(t, canvas) {
    const edge = 6000
    let mostPx = 0
    const counted: Canvas = {
      ...canvas,
      createSurface(width, height) {
        mostPx = Math.max(mostPx, width * height)
        return canvas.createSurface(width, height)
      },
      bitmapFromRgba(pixels) {
        mostPx = Math.max(mostPx, pixels.width * pixels.height)
        return canvas.bitmapFromRgba(pixels)
      },
    }
    const { paint } = createPainter({ backend: counted, ...size, bitmap: album(canvas, pictures) })
    for (const name of transitionNames) {
      const box = [-edge / 2, -edge / 3, edge, edge] as const
      await paint(frameOf(size, coming(name, box, 0.6)))
    }
    t.true(mostPx <= edge * size.width, `${mostPx} px at once`)
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

async function sameWithRoom(
  t: ExecutionContext,
  canvas: Canvas,
  commandsAt: (x: number, y: number) => DrawCommand[],
): Promise<void> {
  const paintOn = (area: { width: number; height: number }, offset: number) => {
    const { paint } = createPainter({ backend: canvas, ...area, bitmap: album(canvas, pictures) })
    const ground = fill([0, 0, area.width, area.height], '#304050')
    return paint(frameOf(area, ground, ...commandsAt(offset, offset)))
  }
  const expected = part(await paintOn(wide, margin), wide.width)
  const painted = await paintOn(size, 0)
  const difference = meanDifference(painted, expected)
  t.true(difference < 0.1, `${JSON.stringify(commandsAt(0, 0))}: ${difference}`)
}

function boxAt([left, top]: readonly [number, number], x: number, y: number): Rect {
  return [left + x, top + y, pictures.badge.width, pictures.badge.height]
}

function coming(name: string, box: Rect, progress = 0.7): TransitionCommand {
  const to = [picture('badge', pictures.badge, { dest: box })]
  return { op: 'transition', name, progress, box, from: [], to }
}

/** The pixels of the wide picture that the canvas has. */
function part(pixels: Buffer, width: number): Buffer {
  const rows = Array.from({ length: size.height }, (_, y) => {
    const start = ((margin + y) * width + margin) * 4
    return pixels.subarray(start, start + size.width * 4)
  })
  return Buffer.concat(rows)
}
