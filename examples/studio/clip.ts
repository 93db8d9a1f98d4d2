import { type Canvas, createCanvas } from '@napi-rs/canvas'

export const clipSize = { width: 640, height: 360 }
export const clipRate = 30

/**
 * Draws frame `index` of `count` of a loop: bands of light that sway once. Uses `canvas` when given.
 */
export function drawClipFrame(
  index: number,
  count: number,
  canvas: Canvas = createCanvas(clipSize.width, clipSize.height),
): Canvas {
  const { width, height } = clipSize
  const context = canvas.getContext('2d')
  const turn = (index / count) * Math.PI * 2
  const ground = context.createLinearGradient(0, 0, 0, height)
  ground.addColorStop(0, '#120a2e')
  ground.addColorStop(1, '#2a1240')
  context.globalCompositeOperation = 'source-over'
  context.fillStyle = ground
  context.fillRect(0, 0, width, height)
  context.globalCompositeOperation = 'lighter'
  for (let band = 0; band < 9; band += 1) {
    const share = band / 8
    context.strokeStyle = `hsla(${250 + 130 * share}, 85%, ${52 + 12 * share}%, 0.34)`
    context.lineWidth = 26 - share * 18
    context.beginPath()
    for (let x = -20; x <= width + 20; x += 10) {
      const along = x / width
      const sway = Math.sin(along * 5 + turn + share * 2.4) * (40 + 46 * share)
      const ripple = Math.sin(along * 11 - turn + share * 5) * 14
      context.lineTo(x, height * (0.3 + 0.42 * share) + sway + ripple)
    }
    context.stroke()
  }
  return canvas
}
