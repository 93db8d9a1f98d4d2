import type { LibraryPart } from './part.ts'

/** Plain shapes as SVG visuals, 400 px wide, to be placed, sized and recoloured. */

const svg = (inner: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400" viewBox="0 0 400 400">${inner}</svg>`

const points = (count: number, radii: readonly number[]) =>
  Array.from({ length: count }, (_, n) => {
    const angle = (n / count) * 2 * Math.PI - Math.PI / 2
    const radius = radii[n % radii.length] ?? 0
    const at = (value: number) => (200 + radius * value).toFixed(1)
    return `${at(Math.cos(angle))},${at(Math.sin(angle))}`
  }).join(' ')

const polygon = (count: number, ...radii: number[]) =>
  svg(`<polygon points="${points(count, radii)}" fill="#ff7a59"/>`)

const drawn: readonly (readonly [string, string, string, string])[] = [
  [
    'circle',
    'Circle',
    'A filled circle',
    svg('<circle cx="200" cy="200" r="190" fill="#ff7a59"/>'),
  ],
  [
    'ring',
    'Ring',
    'A circle of a thick line',
    svg('<circle cx="200" cy="200" r="170" fill="none" stroke="#ff7a59" stroke-width="40"/>'),
  ],
  [
    'rounded-square',
    'Rounded square',
    'A square with round corners, for a badge or a card',
    svg('<rect x="10" y="10" width="380" height="380" rx="64" fill="#ff7a59"/>'),
  ],
  [
    'pill',
    'Pill',
    'A bar with round ends, for a badge or a button',
    svg('<rect x="10" y="130" width="380" height="140" rx="70" fill="#ff7a59"/>'),
  ],
  ['triangle', 'Triangle', 'A triangle that points up', polygon(3, 190)],
  ['diamond', 'Diamond', 'A square on its corner', polygon(4, 190)],
  ['hexagon', 'Hexagon', 'Six equal sides', polygon(6, 190)],
  ['star', 'Star', 'Five points', polygon(10, 190, 80)],
  ['burst', 'Burst', 'A price badge with many points', polygon(32, 190, 155)],
  [
    'speech-bubble',
    'Speech bubble',
    'A callout with a tail',
    svg(
      '<path d="M60 40 H340 A50 50 0 0 1 390 90 V230 A50 50 0 0 1 340 280 H190 L110 370 V280 H60 A50 50 0 0 1 10 230 V90 A50 50 0 0 1 60 40 Z" fill="#ff7a59"/>',
    ),
  ],
  [
    'arrow',
    'Arrow',
    'A callout arrow that points right',
    svg('<polygon points="20,150 230,150 230,60 380,200 230,340 230,250 20,250" fill="#ff7a59"/>'),
  ],
  [
    'heart',
    'Heart',
    'A filled heart',
    svg(
      '<path d="M200 360 C60 250 20 190 20 130 C20 70 65 40 110 40 C150 40 185 65 200 100 C215 65 250 40 290 40 C335 40 380 70 380 130 C380 190 340 250 200 360 Z" fill="#ff7a59"/>',
    ),
  ],
  [
    'shade',
    'Shade',
    'Dark at the bottom, so that light text can be read over a picture',
    svg(
      '<defs><linearGradient id="g" x1="0" y1="0" x2="0" y2="1"><stop offset="0.35" stop-color="#000000" stop-opacity="0"/><stop offset="1" stop-color="#000000" stop-opacity="0.8"/></linearGradient></defs><rect width="400" height="400" fill="url(#g)"/>',
    ),
  ],
  [
    'wave',
    'Wave',
    'The lower edge of a frame',
    svg('<path d="M0 260 C80 190 140 190 200 240 S320 300 400 220 V400 H0 Z" fill="#ff7a59"/>'),
  ],
]

export const shapes: readonly LibraryPart[] = drawn.map(([slug, title, description, markup]) => ({
  ...{ slug, title, description, category: 'shape', width: 400, height: 400 },
  content: { type: 'SVG', svg: markup, width: 400, height: 400, position: 'center-center' },
}))
