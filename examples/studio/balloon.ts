import { type Canvas, createCanvas } from '@napi-rs/canvas'
import { paint } from './picture.ts'

/** Draws a hot-air balloon before a green wall that is lit a little unevenly, as in a studio. */
export function balloon(size: number): Canvas {
  const wall = { width: size, height: size, grain: 5, seed: 7 }
  const canvas = createCanvas(size, size)
  const context = canvas.getContext('2d')
  context.drawImage(
    paint(wall, (u, v) => {
      const light = 1 - 0.06 * Math.hypot(u - 0.45, v - 0.4)
      return [18 * light, 178 * light, 74 * light]
    }),
    0,
    0,
  )
  context.scale(size / 100, size / 100)
  drawEnvelope(canvas)
  drawBasket(canvas)
  return canvas
}

const stripes = ['#ffcf8a', '#e8735a', '#fff1dc', '#b8406e', '#ffcf8a', '#e8735a', '#fff1dc']

function drawEnvelope(canvas: Canvas): void {
  const context = canvas.getContext('2d')
  context.save()
  context.beginPath()
  context.moveTo(50, 8)
  context.bezierCurveTo(82, 8, 86, 46, 60, 66)
  context.lineTo(40, 66)
  context.bezierCurveTo(14, 46, 18, 8, 50, 8)
  context.clip()
  // Stripes go from the rims to the middle: each is an ellipse narrower than the one before.
  stripes.forEach((color, at) => {
    context.fillStyle = color
    context.beginPath()
    context.ellipse(50, 38, 34 * (1 - at / stripes.length), 34, 0, 0, Math.PI * 2)
    context.fill()
  })
  const shade = context.createRadialGradient(38, 26, 6, 50, 38, 44)
  shade.addColorStop(0, 'rgba(255, 255, 255, 0.28)')
  shade.addColorStop(0.5, 'rgba(255, 255, 255, 0)')
  shade.addColorStop(1, 'rgba(40, 12, 50, 0.42)')
  context.fillStyle = shade
  context.fillRect(0, 0, 100, 100)
  context.restore()
}

function drawBasket(canvas: Canvas): void {
  const context = canvas.getContext('2d')
  context.strokeStyle = '#4a2c22'
  context.lineWidth = 0.7
  for (const [top, bottom] of [
    [41, 45],
    [47, 48.5],
    [53, 51.5],
    [59, 55],
  ] as const) {
    context.beginPath()
    context.moveTo(top, 66)
    context.lineTo(bottom, 79)
    context.stroke()
  }
  context.fillStyle = '#7a4a30'
  context.beginPath()
  context.roundRect(43.5, 78, 13, 11, [1.5, 1.5, 3, 3])
  context.fill()
  context.fillStyle = '#4a2c22'
  context.fillRect(43, 77.4, 14, 2.2)
}
