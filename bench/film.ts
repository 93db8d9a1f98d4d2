import { bakeNeeds } from '../core/plan/needs.ts'
import type { ResolvedProject } from '../core/project/resolved.ts'
import { type Facts, mediaKey } from '../core/timeline/facts.ts'
import type { Size } from '../core/timeline/rect.ts'
import { bakeKeyText } from '../core/visuals/painted/bake-document.ts'
import type { VisualBase } from '../core/visuals/visual-base.ts'

const photo = 'a'.repeat(64)
const title = 'b'.repeat(64)
const shade = 'c'.repeat(64)

/**
 * Returns the bench film: a zooming photograph, a text sliding in and out, one static layer; 10 s.
 */
export function benchFilm(size: Size): { project: ResolvedProject; facts: Facts } {
  const base: Omit<VisualBase, 'field' | 'track'> = {
    x: 0,
    y: 0,
    position: 'custom',
    anchor: 'top-left',
    enterBegin: 0,
    enterEnd: 0,
    opacity: 1,
    angle: 0,
    flipV: false,
    flipH: false,
    enterAnimation: null,
    exitAnimation: null,
  }
  const project: ResolvedProject = {
    type: 'video',
    name: 'bench',
    ...size,
    frameRate: 30,
    duration: 10,
    durationMode: 'legacy',
    outputFormat: 'mp4',
    backgroundColor: '#000000',
    snapshotTime: 0,
    quality: 90,
    transparent: false,
    audios: [],
    scenes: [],
    visuals: [
      {
        ...base,
        field: 'visuals[0]',
        type: 'IMAGE',
        src: 'photo',
        track: 0,
        resize: 'cover',
        radius: { tl: 0, tr: 0, br: 0, bl: 0 },
        zoomDepth: 1.15,
      },
      { ...base, field: 'visuals[1]', type: 'SVG', svg: '', track: 1 },
      {
        ...base,
        field: 'visuals[2]',
        type: 'TEXT',
        html: '',
        style: {},
        track: 2,
        x: Math.round(size.width * 0.06),
        y: Math.round(size.height * 0.7),
        enterEnd: 0.6,
        enterAnimation: 'slideright',
        exitBegin: 9.4,
        exitEnd: 10,
        exitAnimation: 'fade',
      },
    ],
  }
  return { project, facts: factsOf(project, size) }
}

function factsOf(project: ResolvedProject, { width, height }: Size): Facts {
  const bake = (digest: string, box: Size) => ({
    digest,
    bytes: 1,
    ...box,
    inkX: 0,
    inkY: 0,
    inkWidth: box.width,
    inkHeight: box.height,
    warnings: [],
  })
  return {
    media: new Map([
      [
        mediaKey({ expect: 'image', url: 'photo' }),
        {
          digest: photo,
          facts: { kind: 'image', format: 'jpeg', width: 1920, height: 1280, hasAlpha: false },
        },
      ],
    ]),
    bakes: new Map(
      bakeNeeds(project).map((document) => [
        bakeKeyText(document),
        document.kind === 'svg'
          ? bake(shade, { width, height })
          : bake(title, titleSize({ width, height })),
      ]),
    ),
  }
}

const titleSize = ({ width, height }: Size): Size => ({
  width: Math.round(width * 0.6),
  height: Math.round(height * 0.14),
})

/**
 * Returns the pictures of the film as straight RGBA: textured like a photograph, striped, shaded.
 */
export function benchPictures(size: Size) {
  return [
    { digest: photo, ...draw({ width: 1920, height: 1280 }, texture) },
    {
      digest: title,
      ...draw(titleSize(size), (x) => [250, 250, 250, (x >> 4) % 3 === 0 ? 0 : 235]),
    },
    { digest: shade, ...draw(size, (_, y) => [0, 0, 0, Math.round((y / size.height) * 160)]) },
  ]
}

type Color = readonly [r: number, g: number, b: number, a: number]

function draw({ width, height }: Size, color: (x: number, y: number) => Color) {
  const rgba = new Uint8Array(width * height * 4)
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) rgba.set(color(x, y), (y * width + x) * 4)
  }
  return { width, height, rgba }
}

/**
 * Returns slow waves with grain, from a fixed hash of the place: as hard to encode as a photograph.
 */
function texture(x: number, y: number): Color {
  const hash = Math.imul(x * 374_761_393 + y * 668_265_263, 1_274_126_177) >>> 24
  const wave = 96 + 60 * Math.sin(x / 97) + 50 * Math.cos(y / 61 + x / 210)
  const grain = (hash - 128) / 9
  const level = (shift: number) => Math.max(0, Math.min(255, Math.round(wave + shift + grain)))
  return [level(24), level(0), level(-20), 255]
}
