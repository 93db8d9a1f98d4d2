import test, { type ExecutionContext } from 'ava'
import type {
  DrawCommand,
  FrameDescription,
  TransitionCommand,
} from '../../../core/timeline/draw.ts'
import type { Rect } from '../../../core/timeline/rect.ts'
import type { Canvas } from '../../../worker/paint/canvas.ts'
import { createPainter, type Painter } from '../../../worker/paint/painter.ts'
import { backends } from './backends.ts'
import { fill, frameOf, picture } from './commands.ts'
import { meanDifference, shareOver } from './likeness.ts'
import { album, badge, pixelAt, pixelsOf, texture } from './textures.ts'

const size = { width: 320, height: 180 }
const whole = [0, 0, size.width, size.height] as const

const pictures = {
  photo: texture(1283, 721, 1),
  badge: badge(160, 90, 2),
  white: pixelsOf(20, 20, () => [255, 255, 255, 255]),
  faint: pixelsOf(size.width, size.height, () => [255, 0, 0, 128]),
  lines: pixelsOf(4001, 600, (x) => (x % 2 === 0 ? [255, 255, 255, 255] : [0, 0, 0, 255])),
  halves: pixelsOf(40, 20, (x) => (x < 20 ? [255, 0, 0, 255] : [0, 0, 255, 255])),
}

const cases: Record<string, (t: ExecutionContext, painter: () => Painter) => Promise<void>> = {
  async 'paints a frame the same whatever was painted before'(t, painter) {
    const frames = Array.from({ length: 12 }, (_, index) => film(index))
    const inOrder = painter()
    const expected: Buffer[] = []
    for (const frame of frames) expected.push(await inOrder.paint(frame))
    const disordered = painter()
    for (const at of [7, 7, 2, 11, 0, 8, 9, 1, 10, 4, 3, 6, 5]) {
      const [frame, pixels] = [frames[at] as FrameDescription, expected[at] as Buffer]
      t.true(pixels.equals(await disordered.paint(frame)), `frame ${at} in another order`)
      t.true(pixels.equals(await painter().paint(frame)), `frame ${at} alone`)
    }
    const atOnce = painter()
    const together = await Promise.all(frames.map((frame) => atOnce.paint(frame)))
    t.true(together.every((pixels, at) => pixels.equals(expected[at] as Buffer)))
  },

  async 'shrinks fine lines to even grey, still and in motion'(t, painter) {
    const still = picture('lines', pictures.lines, { dest: [10, 20, 300, 45] })
    const moving = { ...still, matrix: [1.013, 0, 0, 1.013, 0.37, 0.21] } as const
    for (const command of [still, moving]) {
      const pixels = await painter().paint(frameOf(size, fill(whole, '#000000'), command))
      for (let x = 12; x < 308; x++) {
        const [red] = pixelAt(pixels, size.width, [x, 40])
        t.true(Math.abs(red - 128) <= 4, `grey at ${x}. Got ${red}`)
      }
    }
  },

  async 'moves by a tenth of a pixel evenly'(t, painter) {
    const one = painter()
    const centres: number[] = []
    for (let step = 0; step < 20; step++) {
      const matrix = [1, 0, 0, 1, 100 + step / 10, 50] as const
      const square = picture('white', pictures.white, { matrix })
      const pixels = await one.paint(frameOf(size, fill(whole, '#000000'), square))
      centres.push(centreOf(pixels))
    }
    for (let step = 1; step < centres.length; step++) {
      const moved = (centres[step] ?? 0) - (centres[step - 1] ?? 0)
      t.true(Math.abs(moved - 0.1) < 0.02, `step ${step} moved by ${moved}`)
    }
  },

  async 'zooms past a change of the reduced copy without a jump'(t, painter) {
    const one = painter()
    const changes: number[] = []
    let before: Buffer | undefined
    // The picture goes from 0.45 to 0.55 of its size; below 0.5 a half-size copy is drawn.
    for (let step = 0; step <= 40; step++) {
      const zoom = 0.45 + step * 0.0025
      const matrix = [zoom, 0, 0, zoom, 160 - 640 * zoom, 90 - 360 * zoom] as const
      const command = picture('photo', pictures.photo, { matrix })
      const pixels = await one.paint(frameOf(size, fill(whole, '#000000'), command))
      if (before) changes.push(meanDifference(before, pixels))
      before = pixels
    }
    const sorted = changes.toSorted((a, b) => a - b)
    const [usual, most] = [sorted[20] ?? 0, sorted.at(-1) ?? 0]
    t.true(most < usual * 1.5, `usually ${usual}, at most ${most}`)
  },

  async 'shows nothing of what was cut away, however the part is enlarged, moved or turned'(
    t,
    painter,
  ) {
    const { halves } = pictures
    const part = { source: [0, 0, 20, 20] } as const
    const enlarged = picture('halves', halves, { ...part, dest: [0, 0, 100, 100] })
    const moved = picture('halves', halves, {
      ...part,
      dest: [0, 0, 20, 20],
      matrix: [1.7, 0, 0, 1.7, 120.3, 10.6],
    })
    const turned = picture('halves', halves, { ...part, matrix: [2, 1, -1, 2, 240, 40] })
    const pixels = await painter().paint(
      frameOf(size, fill(whole, '#000000'), enlarged, moved, turned),
    )
    for (let x = 0; x < size.width; x++) {
      for (let y = 0; y < size.height; y++) {
        const [, , blue] = pixelAt(pixels, size.width, [x, y])
        if (blue > 0) return t.fail(`blue ${blue} at ${x}, ${y}`)
      }
    }
    t.deepEqual(pixelAt(pixels, size.width, [99, 50]), [255, 0, 0, 255])
  },

  async 'draws the part it is told to, turned, cut off and weighed'(t, painter) {
    const { halves } = pictures
    const right = picture('halves', halves, { source: [20, 0, 20, 20], dest: [0, 0, 20, 20] })
    const turned = picture('halves', halves, { matrix: [0, 1, -1, 0, 100, 0] })
    const round = picture('halves', halves, {
      matrix: [1, 0, 0, 1, 150, 0],
      clip: { rect: [0, 0, 40, 20], radii: [10, 0, 0, 0] },
    })
    const pale = picture('halves', halves, { matrix: [1, 0, 0, 1, 200, 0], opacity: 0.5 })
    const frame = frameOf(size, fill(whole, '#ffffff'), right, turned, round, pale)
    const pixels = await painter().paint(frame)
    const at = (x: number, y: number) => pixelAt(pixels, size.width, [x, y])
    t.deepEqual(at(0, 0), [0, 0, 255, 255])
    t.deepEqual(at(20, 0), [255, 255, 255, 255])
    t.deepEqual(at(90, 5), [255, 0, 0, 255])
    t.deepEqual(at(90, 35), [0, 0, 255, 255])
    t.deepEqual(at(151, 1), [255, 255, 255, 255])
    t.deepEqual(at(188, 1), [0, 0, 255, 255])
    const [red, green, blue, alpha] = at(210, 10)
    t.deepEqual([red, alpha], [255, 255])
    t.true(Math.abs(green - 128) <= 2 && Math.abs(blue - 128) <= 2, `half red. Got ${at(210, 10)}`)
  },

  async 'leaves a still without background transparent and premultiplied'(t, painter) {
    const pixels = await painter().paint(frameOf(size, picture('faint', size)))
    t.deepEqual(pixelAt(pixels, size.width, [5, 5]), [128, 0, 0, 128])
    const nothing = await painter().paint(frameOf(size))
    t.true(nothing.every((value) => value === 0))
  },

  async 'blends two half-transparent sides premultiplied'(t, painter) {
    const faint = picture('faint', size)
    const badgeOnTop = picture('white', pictures.white, { dest: [0, 0, 20, 20] })
    const frame = frameOf(size, fill(whole, '#0000ff'), {
      op: 'transition',
      name: 'fade',
      progress: 0.4,
      box: [0, 0, 100, 100],
      from: [faint],
      to: [faint, badgeOnTop],
    })
    const pixels = await painter().paint(frame)
    const near = (x: number, y: number, expected: number[]) => {
      const seen = pixelAt(pixels, size.width, [x, y])
      const close = seen.every((value, at) => Math.abs(value - (expected[at] ?? 0)) <= 2)
      t.true(close, `${x},${y}: expected about ${expected}. Got ${seen}`)
    }
    // Equal pictures on both sides stay unchanged.
    near(50, 50, [128, 0, 127, 255])
    near(10, 10, [0.6 * 128 + 0.4 * 255, 0.4 * 255, 0.6 * 127 + 0.4 * 255, 255])
    // Outside the box, nothing.
    t.deepEqual(pixelAt(pixels, size.width, [100, 50]), [0, 0, 255, 255])
  },

  async 'runs a transition inside a sliding scene'(t, painter) {
    for (const name of ['circleopen', 'circlecrop', 'wipetl', 'fadeblack', 'hblur', 'squeezev']) {
      const scene = [fill(whole, '#206040'), entering(name, [40, 30, 160, 90])]
      const alone = await painter().paint(frameOf(size, ...scene))
      const sliding = await painter().paint(
        frameOf(size, fill(whole, '#000000'), {
          op: 'transition',
          name: 'slideright',
          progress: 0.5,
          box: whole,
          from: scene,
          to: [fill(whole, '#ffffff')],
        }),
      )
      t.deepEqual(pixelAt(sliding, size.width, [159, 90]), [255, 255, 255, 255])
      t.deepEqual(
        part(sliding, size.width, [160, 0, 160, 180]),
        part(alone, size.width, [0, 0, 160, 180]),
        name,
      )
    }
  },

  async 'shows only one side at the ends of a transition'(t, painter) {
    const from = [fill(whole, '#ff0000')]
    const to = [fill(whole, '#0000ff')]
    for (const name of ['fade', 'wipeleft', 'smoothdown', 'circlecrop', 'fadeblack', 'zoomin']) {
      const transition = { op: 'transition', name, box: whole, from, to } as const
      const start = await painter().paint(frameOf(size, { ...transition, progress: 0 }))
      const end = await painter().paint(frameOf(size, { ...transition, progress: 1 }))
      t.true(start.equals(await painter().paint(frameOf(size, ...from))), name)
      t.true(end.equals(await painter().paint(frameOf(size, ...to))), name)
    }
  },

  async 'paints on after a frame that failed'(t, painter) {
    const one = painter()
    const good = film(3)
    const expected = await painter().paint(good)
    await one.paint(good)
    const [first] = good.commands as [DrawCommand]
    await t.throwsAsync(one.paint(frameOf(size, first, picture('lost', size))), {
      message: 'The album has no picture lost',
    })
    await t.throwsAsync(
      one.paint(
        frameOf(size, first, {
          op: 'transition',
          name: 'fly',
          progress: 0.5,
          box: whole,
          from: [],
          to: [],
        }),
      ),
      { message: /^A transition must be one of fade, fadeblack, .*\. Got fly$/ },
    )
    await t.throwsAsync(one.paint({ ...good, width: 10 }), {
      message: 'A frame must be as large as its painter. Got 10x180, but the painter is 320x180',
    })
    t.true(expected.equals(await one.paint(good)))
    t.true(expected.equals(await one.paint(good)))
  },
}

for (const backend of backends) {
  for (const [title, run] of Object.entries(cases)) {
    if ('missing' in backend) {
      test.skip(`${backend.title} ${title} (${backend.missing})`, () => undefined)
    } else {
      test(`${backend.title} ${title}`, (t) => run(t, () => painterOn(backend.canvas)))
    }
  }
}

/**
 * Bilinear sampling on the CPU counts in sixteenths of a pixel, which shows on hard detail. Each
 * backend softens the edges of turned and rounded clips in its own way.
 */
test('every backend paints the same film but for rounding', async (t) => {
  const canvases = backends.flatMap((backend) => ('canvas' in backend ? [backend.canvas] : []))
  t.true(canvases.length >= 2)
  for (const index of [0, 5, 10]) {
    const [reference, ...others] = await Promise.all(
      canvases.map((canvas) => painterOn(canvas).paint(film(index))),
    )
    for (const other of others) {
      const difference = meanDifference(reference as Buffer, other)
      t.true(difference < 1.5, `frame ${index}: mean difference ${difference}`)
      const share = shareOver(32, reference as Buffer, other)
      t.true(share < 0.001, `frame ${index}: ${share} of the bytes differ by more than 32`)
    }
  }
})

function painterOn(canvas: Canvas): Painter {
  return createPainter({ backend: canvas, ...size, bitmap: album(canvas, pictures) })
}

/** The badge while it enters. */
function entering(name: string, box: Rect, progress = 0.6): TransitionCommand {
  const badgeThere = picture('badge', pictures.badge, { dest: box })
  return { op: 'transition', name, progress, box, from: [], to: [badgeThere] }
}

/** The pixels of `rect` in a picture `width` px wide. */
function part(pixels: Buffer, width: number, [left, top, across, down]: Rect): Buffer {
  const rows = Array.from({ length: down }, (_, y) => {
    const start = ((top + y) * width + left) * 4
    return pixels.subarray(start, start + across * 4)
  })
  return Buffer.concat(rows)
}

/** Frame `index` of a film that uses everything: still and moving layers, filters, transitions. */
function film(index: number): FrameDescription {
  const zoom = 1 + index / 40
  const still = picture('photo', pictures.photo, {
    source: [100.5, 20, 1100, 660.25],
    dest: whole,
    filter: { saturate: 1.4, blur: 2.5 },
  })
  const moving = picture('photo', pictures.photo, {
    dest: [20, 10, 120, 80],
    matrix: [zoom, 0.1, -0.1, zoom, index * 1.7, 5],
    clip: { rect: [24, 14, 112, 72], radii: [12, 4, 30, 0] },
  })
  const title = picture('badge', pictures.badge, { dest: [150, 80, 160, 90], opacity: 0.8 })
  const scene = [fill(whole, '#182838'), still, moving]
  if (index % 3 === 2) return frameOf(size, ...scene, title)
  const name = ['smoothleft', 'pixelize', 'fade', 'slideup'][index % 4] as string
  const progress = (index + 1) / 13
  const entering = {
    op: 'transition',
    name,
    progress,
    box: title.dest,
    from: [],
    to: [title],
  } as const
  if (index < 8) return frameOf(size, ...scene, entering)
  const next = [fill(whole, '#c0b090'), picture('faint', size)]
  const change = { op: 'transition', name, progress, box: whole, from: scene, to: next } as const
  return frameOf(size, fill(whole, '#000000'), change, title)
}

/** The centre of the brightness, px from the left. */
function centreOf(pixels: Buffer): number {
  let sum = 0
  let weighted = 0
  for (let at = 0; at < pixels.length; at += 4) {
    sum += pixels[at] ?? 0
    weighted += (pixels[at] ?? 0) * ((at / 4) % size.width)
  }
  return weighted / sum
}
