import { type Canvas, createCanvas } from '@napi-rs/canvas'

/** The farm's mark, a furrowed field under a sun in a rounded square, on transparency. */
export function logo(size: number): Canvas {
  const canvas = createCanvas(size, size)
  const context = canvas.getContext('2d')
  const unit = size / 100
  context.scale(unit, unit)
  context.beginPath()
  context.roundRect(4, 4, 92, 92, 24)
  context.clip()
  const sky = context.createLinearGradient(0, 4, 0, 96)
  sky.addColorStop(0, '#3b2a6b')
  sky.addColorStop(0.45, '#e8735a')
  sky.addColorStop(0.62, '#ffc27a')
  context.fillStyle = sky
  context.fillRect(0, 0, 100, 100)
  context.fillStyle = '#fff3d6'
  context.beginPath()
  context.arc(50, 54, 17, 0, Math.PI * 2)
  context.fill()
  context.fillStyle = '#33245c'
  context.beginPath()
  context.moveTo(0, 60)
  context.quadraticCurveTo(50, 50, 100, 60)
  context.lineTo(100, 100)
  context.lineTo(0, 100)
  context.fill()
  context.strokeStyle = '#ffd9a0'
  context.lineCap = 'round'
  for (const [foot, width] of [
    [-8, 2.6],
    [22, 3.4],
    [50, 4],
    [78, 3.4],
    [108, 2.6],
  ] as const) {
    context.lineWidth = width
    context.beginPath()
    context.moveTo(50 + (foot - 50) * 0.18, 61 + Math.abs(foot - 50) * 0.02)
    context.quadraticCurveTo(50 + (foot - 50) * 0.45, 72, foot, 102)
    context.stroke()
  }
  return canvas
}
