import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { heldStill, roundedBox, zoomed } from './filters.ts'
import type { Words } from './words.ts'
import type { Workload } from './workload.ts'

const size = { width: 1080, height: 1920 }
const frameRate = 30
const overSeconds = 0.5
const sceneSeconds = 4
/** Leads from each scene to the next. The last scene has none. */
const names = ['fade', 'smoothup', 'circleopen'] as const
const sceneCount = names.length + 1
const seconds = sceneCount * sceneSeconds

const captions = [
  'Four rooms and a garden',
  'ten steps from the sea',
  'Light from the first hour',
  'until the last one',
  'Come and see it',
  'on Saturday at noon',
  'Bring all of your friends',
  'and stay until the evening',
]
const captionSeconds = seconds / captions.length
const captionSize = 64
/** libass counts the height of a line of DejaVu Sans, and not its em. */
const lineOfEm = 1.164

const cards = [
  ['Casa Aurora', '4 rooms, 120 square metres'],
  ['Morning', 'The terrace looks to the east'],
  ['Evening', 'The dunes are yours alone'],
  ['Open house', 'Saturday, twelve to six'],
] as const
const card = { x: 90, y: 1180, width: 900, height: 220, radius: 36, color: '#14213d', in: 0.6 }

/** Writes the captions for ffmpeg's libass: each word is filled when it is spoken. @returns the file */
export async function makeKaraoke(folder: string): Promise<string> {
  const time = (second: number) => `0:00:${second.toFixed(2).padStart(5, '0')}`
  const lines = captions.map((text, at) => {
    const words = text.split(' ')
    const hundredths = Math.round((captionSeconds * 100) / words.length)
    const spoken = words.map((word) => `{\\k${hundredths}}${word}`).join(' ')
    const [start, end] = [at * captionSeconds, (at + 1) * captionSeconds]
    return `Dialogue: 0,${time(start)},${time(end)},Words,,0,0,0,,${spoken}`
  })
  const file = join(folder, 'karaoke.ass')
  const style = [
    ...[
      'Words',
      'DejaVu Sans',
      Math.round(captionSize * lineOfEm),
      '&H0066D1FF',
      '&H00FFFFFF',
      '&H00000000',
      '&H00000000',
    ],
    ...[-1, 0, 0, 0, 100, 100, 0, 0, 1, 3, 0, 2, 60, 60, 300, 1],
  ]
  const text = [
    ...['[Script Info]', `PlayResX: ${size.width}`, `PlayResY: ${size.height}`, '[V4+ Styles]'],
    'Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, Underline, StrikeOut, ScaleX, ScaleY, Spacing, Angle, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV, Encoding',
    `Style: ${style.join(',')}`,
    ...[
      '[Events]',
      'Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text',
    ],
    ...lines,
  ]
  await writeFile(file, `${text.join('\n')}\n`)
  return file
}

type ReelMedia = {
  readonly clips: readonly string[]
  readonly photos: readonly string[]
  readonly music: string
  readonly karaoke: string
}

/**
 * Vertical film of four scenes: a clip under a shade, two zooming photographs and a clip again. Each has a
 * card that slides in, and captions fill word by word over all of them.
 */
export function reel({ clips, photos, music, karaoke }: ReelMedia, words: Words): Workload {
  const shown = [clips[0], photos[1], photos[2], clips[1]].map((file) => file ?? '')
  return {
    ...{ name: 'W7 reel', size: [size.width, size.height], isStill: false },
    request: (address) => ({
      payload: {
        ...{ ...size, frameRate, backgroundColor: '#000000' },
        audios: [{ src: address(music), matchDuration: true }],
        scenes: shown.map((file, at) => scene(address(file), at, words)),
        subtitle: {
          animation: 'karaoke',
          font: { family: 'DejaVu Sans', size: captionSize, color: '#ffffff', bold: true },
          stroke: { color: '#000000', width: 3 },
          activeWord: { color: '#ffd166' },
          ...{ position: 'bottom-center', margin: { x: 60, y: 300 } },
          captions: captions.map((text, at) => {
            return { start: at * captionSeconds, end: (at + 1) * captionSeconds, text }
          }),
        },
      },
    }),
    graphs: [byHand(shown, { music, karaoke }, words)],
  }
}

const isClip = (at: number) => at === 0 || at === sceneCount - 1
/** Length of a scene with the transition that leads out of it. */
const sceneLength = (at: number) => sceneSeconds + (at < names.length ? overSeconds : 0)

const shade = `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}"><defs><linearGradient id="s" x1="0" y1="0" x2="0" y2="1"><stop offset="0.4" stop-color="#000" stop-opacity="0"/><stop offset="1" stop-color="#000" stop-opacity="0.7"/></linearGradient></defs><rect width="100%" height="100%" fill="url(#s)"/></svg>`

function scene(src: string, at: number, { html }: Words) {
  const [title = '', line = ''] = cards[at] ?? []
  const inside = 'position:absolute;left:44px;'
  const box = `<div style="position:relative;width:${card.width}px;height:${card.height}px;border-radius:${card.radius}px;background:${card.color}">${html(title, 76, `${inside}top:32px`)}${html(line, 44, `${inside}top:132px`)}</div>`
  const whole = { ...size, resize: 'cover' as const }
  return {
    duration: sceneLength(at),
    ...(names[at] !== undefined && { transition: names[at], transitionDuration: overSeconds }),
    visuals: [
      isClip(at)
        ? { type: 'VIDEO' as const, src, ...whole, volume: 0, videoEnd: sceneLength(at) }
        : { type: 'IMAGE' as const, src, ...whole, zoom: { depth: 1.15 } },
      ...(isClip(at) ? [{ type: 'SVG' as const, svg: shade, x: 0, y: 0, ...size, track: 1 }] : []),
      {
        ...{ type: 'TEXT' as const, html: box, x: card.x, y: card.y, track: 2, opacity: 0.92 },
        ...{ enterBegin: 0, enterEnd: card.in, enterAnimation: 'slideup' as const },
      },
    ],
  }
}

function byHand(
  shown: readonly string[],
  { music, karaoke }: { readonly music: string; readonly karaoke: string },
  { drawn, sound }: Words,
): string[] {
  const { width, height } = size
  const clear = "lum='lum(X,Y)':cb='cb(X,Y)':cr='cr(X,Y)'"
  const cover = `scale=${width}:${height}:force_original_aspect_ratio=increase,crop=${width}:${height}`
  const scenes = shown.flatMap((_, at) => {
    const [title = '', line = ''] = cards[at] ?? []
    const frames = sceneLength(at) * frameRate
    const ground = isClip(at)
      ? [
          `[${at}:v]${cover},fps=${frameRate},setsar=1[c${at}]`,
          `color=c=black:s=${width}x${height}:r=30:d=0.03,format=yuva420p,geq=${clear}:a='178*clip((Y/H-0.4)/0.6,0,1)',${heldStill}[d${at}]`,
          `[c${at}][d${at}]overlay=shortest=1[g${at}]`,
        ]
      : [`[${at}:v]${zoomed(width, height, frames)}[g${at}]`]
    const place = `x=${card.x}:y='${card.y}+(${height}-${card.y})*pow(1-clip(t/${card.in},0,1),3)'`
    return [
      ...ground,
      `color=c=${card.color}:s=${card.width}x${card.height}:r=30:d=0.03,format=yuva444p,geq=${clear}:a='${roundedBox(card.radius, 235)}',format=yuva420p,${drawn(title, { size: 76, x: '44', y: 40 })},${drawn(line, { size: 44, x: '44', y: 140 })},${heldStill}[b${at}]`,
      `[g${at}][b${at}]overlay=${place}:shortest=1,trim=end_frame=${frames},setpts=PTS-STARTPTS[s${at}]`,
    ]
  })
  const led = names.map((name, i) => {
    const before = i === 0 ? 's0' : `x${i - 1}`
    return `[${before}][s${i + 1}]xfade=transition=${name}:duration=${overSeconds}:offset=${sceneSeconds * (i + 1)}[x${i}]`
  })
  const graph = [...scenes, ...led, `[x${names.length - 1}]ass=${karaoke}[v]`].join(';')
  return [
    ...shown.flatMap((file, at) => [
      ...(isClip(at) ? ['-t', `${sceneLength(at)}`] : []),
      '-i',
      file,
    ]),
    ...['-i', music, '-filter_complex', graph],
    ...['-map', '[v]', '-map', `${shown.length}:a`, ...sound, '-t', `${seconds}`],
  ]
}
