import { type Canvas, createCanvas } from '@napi-rs/canvas'

export const craneSize = { width: 480, height: 420 }

type Point = readonly [x: number, y: number]

/** Draws a folded crane that flies on the spot before a green wall, `second` seconds into the film. */
export function drawCrane(
  second: number,
  canvas: Canvas = createCanvas(craneSize.width, craneSize.height),
): Canvas {
  const { width, height } = craneSize
  const context = canvas.getContext('2d')
  const wall = context.createRadialGradient(
    width * 0.45,
    height * 0.4,
    30,
    width / 2,
    height / 2,
    420,
  )
  wall.addColorStop(0, '#14b84e')
  wall.addColorStop(1, '#10a544')
  context.fillStyle = wall
  context.fillRect(0, 0, width, height)
  const beat = Math.sin(second * Math.PI * 2 * 1.6)
  context.save()
  context.translate(width / 2, height / 2 + 20 - 14 * beat)
  context.rotate(-0.06 + 0.03 * Math.sin(second * 2))
  const tip = -20 - 130 * beat
  // Far wing, tail, body, neck, near wing: each fold has its own light.
  fold(canvas, beat > 0 ? '#c9566b' : '#a93f5a', [
    [-30, -4],
    [44, -8],
    [70, tip * 0.86 - 14],
  ])
  fold(canvas, '#e9788a', [
    [-20, 4],
    [-190, -62],
    [-60, 34],
  ])
  fold(canvas, '#b64560', [
    [-60, 34],
    [-190, -62],
    [-74, 12],
  ])
  fold(canvas, '#f4a3a8', [
    [-62, 4],
    [60, -2],
    [8, 62],
  ])
  fold(canvas, '#d9647a', [
    [-62, 4],
    [8, 62],
    [-40, 40],
  ])
  fold(canvas, '#f4a3a8', [
    [40, 4],
    [150, -104],
    [64, 26],
  ])
  fold(canvas, '#e9788a', [
    [150, -104],
    [140, -94],
    [192, -74],
  ])
  const light = beat > 0 ? '#ffd9d2' : '#f7b9b6'
  fold(canvas, light, [
    [-46, 2],
    [36, 6],
    [-6 + 20 * beat, tip],
  ])
  fold(canvas, beat > 0 ? '#f9bcb8' : '#e48a95', [
    [36, 6],
    [-6 + 20 * beat, tip],
    [54, 4],
  ])
  context.restore()
  return canvas
}

function fold(canvas: Canvas, color: string, points: readonly Point[]): void {
  const context = canvas.getContext('2d')
  context.fillStyle = color
  context.beginPath()
  for (const [x, y] of points) context.lineTo(x, y)
  context.fill()
}
