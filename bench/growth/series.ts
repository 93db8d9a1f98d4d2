/** Step of a series: the request for `x`. With `items` it is one bulk of that many films. */
export type Step = { readonly x: number; readonly payload: object; readonly items?: number }

/** Quantity that grows while all else stays. `growsNodes`: it is the number of nodes. */
export type Series = {
  readonly name: string
  readonly unit: string
  readonly steps: readonly Step[]
  readonly growsNodes?: true
}

/**
 * Returns the series, made anew for each turn. Each film has a unique `mark`, a colour, so that no
 * cache helps. `photo`: a URL that the farm can fetch.
 */
export function growthSeries(photo: string, mark: () => string): readonly Series[] {
  const zoomed = (size: { width: number; height: number }, duration: number) => ({
    ...{ ...size, frameRate: 30, duration, backgroundColor: mark() },
    visuals: [
      { ...{ type: 'IMAGE', src: photo, ...size, resize: 'cover' }, zoom: { depth: 1.2 } },
      card({ words: 'It grows', mark, x: 20, y: 20 }),
    ],
  })
  const hd = { width: 1280, height: 720 }
  return [
    {
      ...{ name: 'frames', unit: 'frames of 720p' },
      steps: [1, 2, 4, 8, 16, 32].map((s) => ({ x: s * 30, payload: zoomed(hd, s) })),
    },
    {
      ...{ name: 'pixels', unit: 'megapixels a frame, 60 frames' },
      steps: sizes.map((size) => ({
        x: (size.width * size.height) / 1e6,
        payload: zoomed(size, 2),
      })),
    },
    {
      ...{ name: 'layers', unit: 'moving layers, 60 frames of 720p' },
      steps: [1, 3, 10, 30, 100].map((x) => ({ x, payload: layered(photo, x, mark) })),
    },
    {
      ...{ name: 'scenes', unit: 'scenes in 40 s of 320x180' },
      steps: [1, 5, 20, 50, 200].map((x) => ({ x, payload: ofScenes(x, mark) })),
    },
    {
      ...{ name: 'bulk', unit: 'films of 1 s, 320x180, at once' },
      steps: [1, 5, 20, 100, 500].map((x) => ({
        ...{ x, items: x, payload: greeting(mark) },
      })),
    },
    {
      ...{ name: 'name cards', unit: 'films of 12 s at once, alike but for 3 s' },
      steps: [1, 5, 20, 100, 500].map((x) => ({ ...{ x, items: x }, payload: nameCard(mark) })),
    },
    {
      ...{ name: 'nodes', unit: 'nodes on these two cores, one lane each', growsNodes: true },
      steps: [1, 2, 3, 4].map((x) => ({ x, payload: zoomed(hd, 20) })),
    },
  ]
}

const sizes = [
  { width: 320, height: 180 },
  { width: 640, height: 360 },
  { width: 1280, height: 720 },
  { width: 1920, height: 1080 },
  { width: 3840, height: 2160 },
]

type Card = { words: string; mark: () => string; x: number; y: number }

function card({ words, mark, x, y }: Card) {
  return { type: 'TEXT', html: `<b style="color:${mark()};font-size:24px">${words}</b>`, x, y }
}

/** Every layer zooms all the time, so that none can be flattened. */
function layered(photo: string, count: number, mark: () => string) {
  const side = 160
  return {
    ...{ width: 1280, height: 720, frameRate: 30, duration: 2, backgroundColor: mark() },
    visuals: Array.from({ length: count }, (_, i) => ({
      ...{ type: 'IMAGE', src: photo, width: side, height: side, resize: 'cover', track: i },
      ...{ x: (i * 97) % (1280 - side), y: (i * 61) % (720 - side), zoom: { depth: 1.5 } },
    })),
  }
}

function ofScenes(count: number, mark: () => string) {
  return {
    ...{ width: 320, height: 180, frameRate: 30 },
    scenes: Array.from({ length: count }, (_, i) => ({
      ...{ duration: 40 / count, backgroundColor: mark() },
      visuals: [card({ words: `Scene ${i + 1}`, mark, x: 20, y: 60 })],
    })),
  }
}

function greeting(mark: () => string) {
  return {
    ...{ width: 320, height: 180, duration: 1, backgroundColor: mark() },
    visuals: [card({ words: 'Hello, {{name}}', mark, x: 20, y: 60 })],
  }
}

/** Returns a card that always moves; the name is shown for three of its twelve seconds. */
function nameCard(mark: () => string) {
  const circle = `<circle cx="90" cy="90" r="40" fill="${mark()}"/>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="320" height="180">${circle}</svg>`
  return {
    ...{ width: 320, height: 180, frameRate: 30, duration: 12 },
    visuals: [
      { type: 'SVG', svg, x: 0, y: 0, enterAnimation: 'slideleft', enterBegin: 0, enterEnd: 11 },
      {
        ...card({ words: 'Hello, {{name}}', mark, x: 20, y: 60 }),
        ...{ track: 1, enterBegin: 4, exitEnd: 7 },
      },
    ],
  }
}
