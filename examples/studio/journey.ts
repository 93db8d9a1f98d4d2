import { type Canvas, createCanvas } from '@napi-rs/canvas'
import { fractal } from './noise.ts'

export const journeySize = { width: 960, height: 540 }

/** Px a second at which the nearest posts pass; one passes every `postSeconds`. */
const nearSpeed = 1440
export const postSeconds = 0.5

type Range = {
  readonly base: number
  readonly tall: number
  readonly rough: number
  readonly speed: number
  readonly color: string
  readonly seed: number
}

const ranges: readonly Range[] = [
  { base: 0.6, tall: 0.3, rough: 1.4, speed: 0.012, color: '#6f7fa6', seed: 3 },
  { base: 0.68, tall: 0.22, rough: 2.1, speed: 0.035, color: '#55648f', seed: 9 },
  { base: 0.76, tall: 0.18, rough: 2.8, speed: 0.09, color: '#3b4672', seed: 14 },
  { base: 0.86, tall: 0.13, rough: 4.2, speed: 0.24, color: '#262d55', seed: 21 },
]

/** Hills at dusk from the window of a train, `second` seconds after it left. */
export function drawJourney(
  second: number,
  canvas: Canvas = createCanvas(journeySize.width, journeySize.height),
): Canvas {
  const { width, height } = journeySize
  const context = canvas.getContext('2d')
  const sky = context.createLinearGradient(0, 0, 0, height * 0.72)
  sky.addColorStop(0, '#3d5a8f')
  sky.addColorStop(0.5, '#b98aa8')
  sky.addColorStop(0.82, '#f7b28a')
  sky.addColorStop(1, '#ffdca8')
  context.fillStyle = sky
  context.fillRect(0, 0, width, height)
  const glow = context.createRadialGradient(300, 290, 6, 300, 290, 300)
  glow.addColorStop(0, 'rgba(255, 246, 214, 0.95)')
  glow.addColorStop(0.12, 'rgba(255, 226, 170, 0.6)')
  glow.addColorStop(1, 'rgba(255, 206, 150, 0)')
  context.fillStyle = glow
  context.fillRect(0, 0, width, height)
  for (const range of ranges) drawRange(canvas, range, second)
  drawTrees(canvas, second)
  drawLine(canvas, second)
  return canvas
}

function drawRange(canvas: Canvas, range: Range, second: number): void {
  const { width, height } = journeySize
  const context = canvas.getContext('2d')
  context.fillStyle = range.color
  context.beginPath()
  context.moveTo(0, height)
  for (let x = 0; x <= width; x += 6) {
    const along = x / height + (second * nearSpeed * range.speed) / height
    const up = fractal(along * range.rough, 0.5, { seed: range.seed, octaves: 4 })
    context.lineTo(x, height * (range.base - range.tall * (up - 0.35)))
  }
  context.lineTo(width, height)
  context.fill()
}

/** Poplars that pass at half the posts' speed. */
function drawTrees(canvas: Canvas, second: number): void {
  const { width, height } = journeySize
  const context = canvas.getContext('2d')
  const offset = second * nearSpeed * 0.45
  const gap = 118
  context.fillStyle = '#161b3a'
  for (let at = Math.floor(offset / gap) - 1; at * gap - offset < width + gap; at += 1) {
    const random = fractal(at * 3.7, 0.2, { seed: 31, octaves: 2 })
    if (random < 0.42) continue
    const x = at * gap - offset + 60 * random
    const tall = height * (0.12 + 0.2 * random)
    context.beginPath()
    context.ellipse(x, height * 0.93 - tall / 2, 10 + 16 * random, tall / 2, 0, 0, Math.PI * 2)
    context.fill()
  }
  context.fillRect(0, height * 0.91, width, height)
}

/** The posts beside the track and the wires between them. */
function drawLine(canvas: Canvas, second: number): void {
  const { width, height } = journeySize
  const context = canvas.getContext('2d')
  const gap = nearSpeed * postSeconds
  const offset = second * nearSpeed
  context.strokeStyle = '#0c1026'
  for (let at = Math.floor(offset / gap) - 1; at * gap - offset < width + gap; at += 1) {
    const x = at * gap - offset + width / 2
    context.lineWidth = 2.2
    for (const level of [0.2, 0.245]) {
      context.beginPath()
      context.moveTo(x, height * level)
      context.quadraticCurveTo(x + gap / 2, height * (level + 0.13), x + gap, height * level)
      context.stroke()
    }
    context.lineWidth = 13
    context.beginPath()
    context.moveTo(x, height * 0.15)
    context.lineTo(x, height)
    context.stroke()
    context.lineWidth = 7
    context.beginPath()
    context.moveTo(x - 34, height * 0.2)
    context.lineTo(x + 34, height * 0.2)
    context.stroke()
  }
}
