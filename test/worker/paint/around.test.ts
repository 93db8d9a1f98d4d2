import test, { type ExecutionContext } from 'ava'
import type { DrawCommand } from '../../../core/timeline/draw.ts'
import type { Rect } from '../../../core/timeline/rect.ts'
import { transitionNames } from '../../../core/timeline/transitions/transitions.ts'
import type { Canvas } from '../../../worker/paint/canvas.ts'
import { createPainter } from '../../../worker/paint/painter.ts'
import { backends } from './backends.ts'
import { fill, frameOf, picture } from './commands.ts'
import { album, pixelsOf } from './textures.ts'

/** A red card whose shadow, here as red as itself, extends beyond its box on every side. */
const canvasSize = { width: 160, height: 120 }
const box: Rect = [50, 30, 60, 50]
const around: Rect = [30, 24, 94, 75]
const [, , width, height] = around
const pictures = { card: pixelsOf(width, height, () => [255, 0, 0, 255]) }

/** Transitions that show black in the box, and those that treat each pixel or line separately. */
const blackInBox = ['circlecrop', 'rectcrop', 'fadeblack', 'fadewhite']
const ragged = ['dissolve', 'hlwind', 'hrwind', 'vuwind', 'vdwind']

type Way = 'enter' | 'exit'

const cases: Record<string, (t: ExecutionContext, canvas: Canvas) => Promise<void>> = {
  async 'shows all that hangs out when it is there, and nothing when it is not'(t, canvas) {
    const red = await redIn(canvas, [picture('card', { width, height }, { dest: around })])
    for (const name of transitionNames) {
      t.deepEqual(await redOf(canvas, { name, way: 'enter', progress: 1 }), red, name)
      t.deepEqual(await redOf(canvas, { name, way: 'exit', progress: 0 }), red, name)
      t.is(sumOf(await redOf(canvas, { name, way: 'enter', progress: 0 })), 0, name)
    }
  },

  async 'moves and opens what hangs out little by little'(t, canvas) {
    for (const name of transitionNames) {
      for (const way of ['enter', 'exit'] as const) {
        // A difference shows a card at once, and squeezing hides its edges; a frame shows them
        // last.
        if (/^(distance|rectcrop)$/.test(name)) continue
        if (way === 'enter' && name.startsWith('squeeze')) continue
        const shares = []
        for (const seen of [0.02, 0.5, 0.9, 0.98]) {
          const progress = way === 'enter' ? seen : 1 - seen
          shares.push(hangingOut(await redOf(canvas, { name, way, progress })))
        }
        const [first = 0, , , last = 0] = shares
        t.true(first < 0.55, `${way} ${name}: ${shares}`)
        t.true(last > first, `${way} ${name}: ${shares}`)
      }
    }
  },

  async 'leaves no seam along the edges of the box'(t, canvas) {
    for (const name of transitionNames.filter(
      (each) => !blackInBox.includes(each) && !ragged.includes(each),
    )) {
      for (const way of ['enter', 'exit'] as const) {
        for (const progress of [0.1, 0.5, 0.9]) {
          const red = await redOf(canvas, { name, way, progress })
          for (const [side, step] of Object.entries(seamsOf(red))) {
            t.true(step < 24, `${way} ${name} ${progress}: ${step} of 255 along its ${side}`)
          }
        }
      }
    }
  },

  async 'slides what hangs out as far as the card'(t, canvas) {
    const whole = await redIn(canvas, [picture('shade', { width, height }, { dest: around })])
    const red = await redOf(canvas, { name: 'slideup', way: 'enter', progress: 0.9 }, 'shade')
    // A tenth of the box's 50 px is left to go.
    for (let y = 40; y < around[1] + height; y++) {
      for (let x = 0; x < canvasSize.width; x++) {
        const at = y * canvasSize.width + x
        if (red[at] !== whole[at - 5 * canvasSize.width]) t.fail(`${x},${y}`)
      }
    }
    t.pass()
  },

  async 'paints black in the box only'(t, canvas) {
    for (const name of blackInBox) {
      const lit = await paintOn(canvas, '#ffffff', [coming({ name, way: 'enter', progress: 0.5 })])
      const [x, y] = [around[0] + 2, around[1] + 2]
      t.true((lit[(y * canvasSize.width + x) * 4] ?? 0) > 250, name)
    }
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

type Change = { readonly name: string; readonly way: Way; readonly progress: number }

function coming({ name, way, progress }: Change, card = 'card'): DrawCommand {
  const shown = [picture(card, { width, height }, { dest: around })]
  const sides = way === 'enter' ? { from: [], to: shown } : { from: shown, to: [] }
  return { op: 'transition', name, progress, box, around, ...sides }
}

const shade = pixelsOf(width, height, (x, y) => [255, 0, 0, (x * 7 + y * 13) % 256])

async function paintOn(canvas: Canvas, color: string, commands: DrawCommand[]) {
  const bitmap = album(canvas, { ...pictures, shade })
  const { paint } = createPainter({ backend: canvas, ...canvasSize, bitmap })
  const ground = fill([0, 0, canvasSize.width, canvasSize.height], color)
  return paint(frameOf(canvasSize, ground, ...commands))
}

async function redIn(canvas: Canvas, commands: DrawCommand[]): Promise<number[]> {
  const pixels = await paintOn(canvas, '#000000', commands)
  return Array.from({ length: pixels.length / 4 }, (_, at) => pixels[at * 4] ?? 0)
}

const redOf = (canvas: Canvas, change: Change, card?: string) =>
  redIn(canvas, [coming(change, card)])

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)

const isIn = ([left, top, across, down]: Rect, x: number, y: number) =>
  x >= left && y >= top && x < left + across && y < top + down

/** Visible share of the overhang. */
function hangingOut(red: readonly number[]): number {
  const seen = red.filter((_, at) => {
    const [x, y] = [at % canvasSize.width, Math.floor(at / canvasSize.width)]
    return isIn(around, x, y) && !isIn(box, x, y)
  })
  return sumOf(seen) / (255 * seen.length)
}

/** Mean difference between the pixels on both sides of each of the box's edges. */
function seamsOf(red: readonly number[]): Record<string, number> {
  const at = (x: number, y: number) => red[y * canvasSize.width + x] ?? 0
  const [left, top, across, down] = box
  const mean = (length: number, step: (i: number) => number) =>
    sumOf(Array.from({ length }, (_, i) => Math.abs(step(i)))) / length
  const [right, bottom] = [left + across, top + down]
  return {
    left: mean(down, (i) => at(left, top + i) - at(left - 1, top + i)),
    right: mean(down, (i) => at(right, top + i) - at(right - 1, top + i)),
    top: mean(across, (i) => at(left + i, top) - at(left + i, top - 1)),
    bottom: mean(across, (i) => at(left + i, bottom) - at(left + i, bottom - 1)),
  }
}
