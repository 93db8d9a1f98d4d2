import { type Canvas, createCanvas } from '@napi-rs/canvas'

export const reactionSize = 220
export const reactionFrames = 12

/** Draws a round fellow that laughs until it cries, on transparency; frame `index` of the loop. */
export function drawReaction(index: number): Canvas {
  const canvas = createCanvas(reactionSize, reactionSize)
  const context = canvas.getContext('2d')
  const turn = (index / reactionFrames) * Math.PI * 2
  context.translate(reactionSize / 2, reactionSize / 2 + 6 * Math.sin(2 * turn))
  context.rotate(0.13 * Math.sin(turn))
  const squash = 1 + 0.04 * Math.sin(2 * turn)
  context.scale(1.02 / squash, squash)
  const face = context.createRadialGradient(-26, -34, 10, 0, 0, 96)
  face.addColorStop(0, '#ffe58a')
  face.addColorStop(0.7, '#ffc93c')
  face.addColorStop(1, '#f59a23')
  context.fillStyle = face
  context.beginPath()
  context.arc(0, 0, 86, 0, Math.PI * 2)
  context.fill()
  context.strokeStyle = '#5b2c0f'
  context.lineWidth = 9
  context.lineCap = 'round'
  for (const side of [-1, 1]) {
    context.beginPath()
    context.arc(side * 34, -14, 17, Math.PI * 1.08, Math.PI * 1.92)
    context.stroke()
  }
  const open = 40 + 9 * Math.sin(2 * turn)
  context.fillStyle = '#5b1a14'
  context.beginPath()
  context.moveTo(-46, 12)
  context.quadraticCurveTo(0, 2, 46, 12)
  context.bezierCurveTo(44, 12 + open, 22, 18 + open, 0, 18 + open)
  context.bezierCurveTo(-22, 18 + open, -44, 12 + open, -46, 12)
  context.fill()
  context.save()
  context.clip()
  context.fillStyle = '#fffaf0'
  context.fillRect(-60, -4, 120, 22)
  context.fillStyle = '#ff6b6b'
  context.beginPath()
  context.ellipse(0, 20 + open, 28, 18, 0, 0, Math.PI * 2)
  context.fill()
  context.restore()
  for (const side of [-1, 1])
    drawTear(canvas, side, (index / reactionFrames + (side > 0 ? 0.5 : 0)) % 1)
  return canvas
}

/** Draws a drop that swells at the eye and flies off; `share` 0..1 of its way. */
function drawTear(canvas: Canvas, side: number, share: number): void {
  const context = canvas.getContext('2d')
  const size = 13 * Math.min(1, 0.35 + share * 1.6)
  const x = side * (54 + 34 * share)
  const y = -8 + 46 * share * share - 14 * share
  context.fillStyle = '#49b8ff'
  context.beginPath()
  context.arc(x, y, size, 0, Math.PI * 2)
  context.fill()
  context.fillStyle = '#c9ecff'
  context.beginPath()
  context.arc(x - size * 0.3, y - size * 0.35, size * 0.32, 0, Math.PI * 2)
  context.fill()
}
