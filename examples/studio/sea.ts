import { type Canvas, createCanvas } from '@napi-rs/canvas'
import { randomFrom } from './noise.ts'

export const seaSize = { width: 960, height: 540 }

const horizon = 0.46
const sunAt = { x: 0.64, y: 0.43 }
const glints = glintsOf(620)

/** Draws a quiet sea with the sun just above it, `second` seconds after the film began. */
export function drawSea(
  second: number,
  canvas: Canvas = createCanvas(seaSize.width, seaSize.height),
): Canvas {
  const { width, height } = seaSize
  const context = canvas.getContext('2d')
  drawSky(canvas, second)
  const water = context.createLinearGradient(0, height * horizon, 0, height)
  water.addColorStop(0, '#f3a783')
  water.addColorStop(0.16, '#b76a7d')
  water.addColorStop(0.5, '#4a3f72')
  water.addColorStop(1, '#141b3c')
  context.fillStyle = water
  context.fillRect(0, height * horizon, width, height)
  drawSwell(canvas, second)
  for (const { x, depth, length, phase } of glints) {
    const y = height * (horizon + 0.004 + (1 - horizon) * depth)
    const wave = Math.sin(second * (1.1 + phase) + phase * 40)
    const away = Math.abs(x - sunAt.x) / (0.05 + 0.34 * depth)
    const light = Math.max(0, 1 - away) * (0.55 + 0.45 * wave)
    if (light < 0.05) continue
    const long = length * width * (0.25 + depth) * (0.7 + 0.3 * wave)
    context.fillStyle = `rgba(255, 226, 178, ${(light * (0.9 - 0.35 * depth)).toFixed(3)})`
    context.beginPath()
    const left = width * (x + 0.012 * Math.sin(second * 0.8 + phase * 30) * (0.3 + depth))
    context.ellipse(left, y, long / 2, 0.7 + 2.4 * depth, 0, 0, Math.PI * 2)
    context.fill()
  }
  return canvas
}

function drawSky(canvas: Canvas, second: number): void {
  const { width, height } = seaSize
  const context = canvas.getContext('2d')
  const sky = context.createLinearGradient(0, 0, 0, height * horizon)
  sky.addColorStop(0, '#27305e')
  sky.addColorStop(0.45, '#8a5a86')
  sky.addColorStop(0.78, '#ef8e72')
  sky.addColorStop(1, '#ffd49a')
  context.fillStyle = sky
  context.fillRect(0, 0, width, height * horizon)
  const [x, y] = [width * sunAt.x, height * sunAt.y]
  const glow = context.createRadialGradient(x, y, 10, x, y, width * 0.42)
  glow.addColorStop(0, 'rgba(255, 240, 200, 0.9)')
  glow.addColorStop(0.18, 'rgba(255, 206, 142, 0.42)')
  glow.addColorStop(1, 'rgba(255, 180, 120, 0)')
  context.fillStyle = glow
  context.fillRect(0, 0, width, height * horizon)
  context.fillStyle = '#fff6df'
  context.beginPath()
  context.arc(x, y, 30, 0, Math.PI * 2)
  context.fill()
  // Bars of cloud that drift, thinner towards the horizon.
  const random = randomFrom(12)
  for (let bar = 0; bar < 9; bar += 1) {
    const up = 0.07 + 0.34 * (bar / 9)
    const long = 0.5 - 0.3 * up + 0.3 * random()
    const left = width * (random() * 1.2 - 0.2 + second * 0.004 * (1 + random()))
    const shade = context.createLinearGradient(left, 0, left + long * width, 0)
    shade.addColorStop(0, 'rgba(255, 196, 170, 0)')
    shade.addColorStop(0.5, `rgba(255, ${190 - bar * 4}, ${176 - bar * 6}, ${0.22 + 0.02 * bar})`)
    shade.addColorStop(1, 'rgba(255, 196, 170, 0)')
    context.fillStyle = shade
    context.fillRect(left, height * up, long * width, 4 + (9 - bar) * 1.6)
  }
}

/** Long waves that come nearer, darker in their hollows. */
function drawSwell(canvas: Canvas, second: number): void {
  const { width, height } = seaSize
  const context = canvas.getContext('2d')
  for (let wave = 0; wave < 14; wave += 1) {
    const near = ((wave + second * 0.22) % 14) / 14
    const depth = near ** 2.2
    const y = height * (horizon + (1 - horizon) * depth)
    const tall = 2 + 34 * depth
    context.fillStyle = `rgba(24, 20, 58, ${(0.16 * Math.sin(near * Math.PI)).toFixed(3)})`
    context.beginPath()
    context.moveTo(0, y)
    for (let x = 0; x <= width; x += 24) {
      const sway = Math.sin(x * (0.016 - 0.01 * depth) + wave * 2.1 + second * 0.9)
      context.lineTo(x, y + sway * tall * 0.22)
    }
    for (let x = width; x >= 0; x -= 24) {
      const sway = Math.sin(x * (0.013 - 0.008 * depth) + wave * 1.3 + second * 0.7)
      context.lineTo(x, y + tall * (0.7 + 0.3 * sway))
    }
    context.fill()
  }
}

type Glint = {
  readonly x: number
  readonly depth: number
  readonly length: number
  readonly phase: number
}

/** Places where light may break, more of them towards the horizon. */
function glintsOf(count: number): Glint[] {
  const random = randomFrom(5)
  return Array.from({ length: count }, () => {
    const depth = random() ** 1.7
    const aside = (random() + random() - 1) * (0.05 + 0.34 * depth)
    return { x: sunAt.x + aside, depth, length: 0.012 + 0.03 * random(), phase: random() }
  })
}
