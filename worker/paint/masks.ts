import {
  smoothstep,
  type Transition,
  type TransitionName,
} from '../../core/timeline/transitions.ts'
import { BitmapCache } from './bounded-cache.ts'
import type { Bitmap, Canvas } from './canvas.ts'

/** A full-frame mask at 1080p is 8 MB and is seldom asked for twice. */
const masksLimitBytes = 32 * 1024 * 1024

/** A full-frame field at 1080p is 8 MB; a film rarely has more than two sizes in transition. */
const fieldsLimit = 4

/** From 0 to 1 in so many steps: finer than the 255 steps of alpha are told apart at. */
const rampSteps = 4096
const opaque = 255

type MaskRequest = {
  readonly name: TransitionName
  readonly transition: Extract<Transition, { kind: 'mask' }>
  readonly width: number
  readonly height: number
  readonly progress: number
}

/** A transition's field over a box, in steps of the ramp, rows top first. */
type Sampled = { readonly columns: number; readonly rows: number; readonly steps: Int32Array }

/**
 * The bitmaps whose alpha is the weight of `to`. A mask along one axis is one pixel high or wide.
 * Measured at 720p: a frame of a full-frame circle takes 5.6 ms, and took 18 ms when a function of
 * x, y and progress was called for each pixel.
 */
export class Masks {
  readonly #backend: Canvas
  readonly #masks = new BitmapCache(masksLimitBytes)
  readonly #fields = new Map<string, Sampled>()
  /** Alpha, in the highest byte of a pixel, by step of the ramp. */
  readonly #ramp = Uint32Array.from({ length: rampSteps + 1 }, (_, step) => {
    return Math.round(smoothstep(step / rampSteps) * opaque) << 24
  })
  #staging = new Uint32Array(0)

  constructor(backend: Canvas) {
    this.#backend = backend
  }

  maskOf(request: MaskRequest): Bitmap {
    const { name, width, height, progress } = request
    const key = `${name} ${width}x${height} ${progress}`
    return this.#masks.getOrMake(key, () => this.#paint(request))
  }

  #paint(request: MaskRequest): Bitmap {
    const { columns, rows, steps } = this.#fieldOf(request)
    const level = Math.round(request.transition.level(request.progress) * rampSteps)
    if (this.#staging.length < steps.length) this.#staging = new Uint32Array(steps.length)
    const pixels = this.#staging.subarray(0, steps.length)
    const ramp = this.#ramp
    for (let at = 0; at < steps.length; at++) {
      const step = Math.max(0, Math.min((steps[at] as number) + level, rampSteps))
      pixels[at] = ramp[step] as number
    }
    const rgba = new Uint8Array(pixels.buffer, 0, pixels.byteLength)
    return this.#backend.bitmapFromRgba({ width: columns, height: rows, rgba })
  }

  #fieldOf({ name, transition, width, height }: MaskRequest): Sampled {
    const key = `${name} ${width}x${height}`
    const known = this.#fields.get(key)
    if (known) return known
    const sampled = sample(transition, { width, height })
    const [oldest] = this.#fields.keys()
    if (this.#fields.size >= fieldsLimit && oldest !== undefined) this.#fields.delete(oldest)
    this.#fields.set(key, sampled)
    return sampled
  }
}

function sample(
  { axis, field }: MaskRequest['transition'],
  size: { width: number; height: number },
): Sampled {
  const valueAt = field(size)
  const columns = axis === 'y' ? 1 : size.width
  const rows = axis === 'x' ? 1 : size.height
  const steps = new Int32Array(columns * rows)
  for (let y = 0; y < rows; y++) {
    for (let x = 0; x < columns; x++) {
      steps[y * columns + x] = Math.round(valueAt(x, y) * rampSteps)
    }
  }
  return { columns, rows, steps }
}
