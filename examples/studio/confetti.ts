import { type Canvas, createCanvas } from '@napi-rs/canvas'
import { mix, randomFrom } from './noise.ts'

export const confettiSize = { width: 640, height: 360 }

/** Space in which the throw is computed. */
const hall = { width: 960, height: 540 }

const colors = ['#ff5d73', '#ffd166', '#5ce1e6', '#b388ff', '#7ddf64', '#ff9f5a', '#fff3e2']
const pieces = piecesOf(96)

/**
 * Draws paper thrown up from both lower corners, transparent around it, `second` seconds after the throw.
 */
export function drawConfetti(
  second: number,
  canvas: Canvas = createCanvas(confettiSize.width, confettiSize.height),
): Canvas {
  const { width, height } = hall
  const context = canvas.getContext('2d')
  context.reset()
  context.scale(confettiSize.width / width, confettiSize.height / height)
  for (const piece of pieces) {
    const time = second - piece.wait
    if (time <= 0) continue
    // Air slows the throw; then the paper sinks, swaying.
    const thrown = (1 - Math.exp(-2.4 * time)) / 2.4
    const x = piece.from + piece.across * thrown + 22 * Math.sin(time * piece.sway + piece.turn)
    const y = height + 20 - piece.up * thrown + 34 * time * time + 70 * time
    if (y > height + 30) continue
    context.save()
    context.translate(x, y)
    context.rotate(piece.turn + time * piece.spin)
    context.scale(1, Math.cos(time * piece.tumble + piece.turn))
    context.fillStyle = piece.color
    if (piece.isRound) {
      context.beginPath()
      context.arc(0, 0, piece.size * 0.45, 0, Math.PI * 2)
      context.fill()
    } else context.fillRect(-piece.size / 2, -piece.size / 4, piece.size, piece.size / 2)
    context.restore()
  }
  return canvas
}

function piecesOf(count: number) {
  const random = randomFrom(27)
  const between = (low: number, high: number) => mix(low, high, random())
  return Array.from({ length: count }, (_, n) => {
    const isLeft = n % 2 === 0
    return {
      from: isLeft ? -20 : hall.width + 20,
      across: (isLeft ? 1 : -1) * between(240, 1500),
      up: between(700, 1650),
      wait: random() ** 2 * 0.5,
      size: between(15, 28),
      sway: between(1.5, 4),
      turn: between(0, 6.3),
      spin: between(-4, 4),
      tumble: between(3, 9),
      color: colors[n % colors.length] ?? '#ffffff',
      isRound: n % 5 === 0,
    }
  })
}
