import { heldStill, roundedBox, zoomed } from './filters.ts'
import { keyed } from './keyed.ts'
import type { Media } from './media.ts'
import { montage } from './montage.ts'
import { reel } from './reel.ts'
import type { Words } from './words.ts'
import type { Workload } from './workload.ts'

const font = '/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf'
const text: Words['drawn'] = (words, { size, x, y, more = '' }) =>
  `drawtext=fontfile=${font}:text='${words}':fontsize=${size}:fontcolor=white:x='${x}':y='${y}'${more}`

const ground = { backgroundColor: '#2c5a70' }

const html: Words['html'] = (words, size, more = '') =>
  `<div style="font-family:'DejaVu Sans';font-weight:700;font-size:${size}px;line-height:1.2;color:#ffffff;white-space:nowrap;${more}">${words}</div>`

const aac = ['-c:a', 'aac', '-b:a', '192k']

/** Returns the progress, 0 to 1, of `seconds` from `start`, as an ffmpeg expression. */
const passed = (start: number, seconds: number) => `clip((t-${start})/${seconds},0,1)`
/** Returns eased progress, fast at first. */
const eased = (start: number, seconds: number) => `(1-pow(1-${passed(start, seconds)},3))`

/** Returns another colour for each number, dark enough for white words. */
function tint(number: number): string {
  const channels = [53, 97, 31].map((step) => 30 + ((number * step) % 110))
  return channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')
}

export function workloads(media: Media): readonly Workload[] {
  const words = { drawn: text, html, sound: aac }
  return [
    ...[slideshow(media), overlay(media), standing(media), bulk(media), stills(media)],
    ...[montage(media, words), reel(media, words), keyed(media)],
  ]
}

const slideTitles = ['Morning mist', 'Along the dunes', 'After dark', 'Rows of vines', 'Home again']
const titleBox = { width: 860, height: 96, x: 80, y: 560, seconds: 0.6 }

/** Returns zooming photographs that fade into each other, each with a title that slides in. */
function slideshow({ photos, music }: Media): Workload {
  const zooms = photos.map((_, i) => {
    const n = i === 0 ? 120 : 135
    return `[${i}:v]${zoomed(1280, 720, n)}[s${i}]`
  })
  const fades = photos.slice(1).map((_, i) => {
    const before = i === 0 ? 's0' : `x${i}`
    return `[${before}][s${i + 1}]xfade=transition=fade:duration=0.5:offset=${4 * (i + 1) - 0.5}[x${i + 1}]`
  })
  const { width, height, x, y, seconds } = titleBox
  const boxes = slideTitles.flatMap((title, i) => {
    const before = i === 0 ? 'x4' : `o${i - 1}`
    const from = x - width - 60
    const place = `x='${from}+${x - from}*${eased(4 * i, seconds)}':y=${y}`
    return [
      `color=c=black@0.5:s=${width}x${height}:r=30:d=0.03,format=yuva420p,${text(title, { size: 56, x: '24', y: 22 })}[t${i}]`,
      `[${before}][t${i}]overlay=${place}:enable='gte(t,${4 * i})*lt(t,${4 * i + 4})'[o${i}]`,
    ]
  })
  const boxStyle = `width:${width - 48}px;height:${height - 32}px;padding:16px 24px;background:rgba(0,0,0,0.5)`
  const titles = slideTitles.map((title, i) => ({
    ...{ type: 'TEXT' as const, x, y, track: 10 + i, html: html(title, 56, boxStyle) },
    ...{ enterBegin: 4 * i, enterEnd: 4 * i + seconds, enterAnimation: 'slideright' as const },
    ...{ exitBegin: 4 * i + 4, exitEnd: 4 * i + 4 },
  }))
  return {
    ...{ name: 'W1 slideshow', size: [1280, 720], isStill: false },
    request: (address) => ({
      payload: {
        ...{ width: 1280, height: 720, frameRate: 30, duration: 20, ...ground },
        audios: [{ src: address(music), matchDuration: true }],
        visuals: [
          ...photos.map((photo, i) => ({
            ...{ type: 'IMAGE' as const, src: address(photo), width: 1280, height: 720 },
            ...{ resize: 'cover' as const, zoom: { depth: 1.15 }, track: i, exitEnd: 4 * i + 4 },
            ...{ enterBegin: i === 0 ? 0 : 4 * i - 0.5, enterEnd: 4 * i, exitBegin: 4 * i + 4 },
            enterAnimation: i === 0 ? null : ('fade' as const),
          })),
          ...titles,
        ],
      },
    }),
    graphs: [
      [
        ...photos.flatMap((photo) => ['-i', photo]),
        ...['-i', music, '-filter_complex', [...zooms, ...fades, ...boxes].join(';')],
        ...['-map', '[o4]', '-map', '5:a', ...aac, '-t', '20'],
      ],
    ],
  }
}

/** Lower third with the speaker: a rounded box with two lines, which fades in and out. */
const lowerThird = { x: 100, y: 640, width: 900, height: 160, radius: 28, color: '#0b3d91' }
const shown = { in: [1, 1.5], out: [18, 18.5] } as const

/** Returns a film with a logo, captions and a lower third. */
function overlay({ clip, logo }: Media): Workload {
  const lines = Array.from({ length: 10 }, (_, i) => `Caption number ${i + 1} of ten`)
  const captions = lines.map((line, i) =>
    text(line, {
      ...{ size: 44, x: '(w-tw)/2', y: 980 },
      more: `:borderw=3:bordercolor=black:enable='gte(t,${2 * i})*lt(t,${2 * i + 2})'`,
    }),
  )
  const { width, height, radius, color, ...place } = lowerThird
  const name = [
    `color=c=${color}:s=${width}x${height}:r=30:d=0.03,format=yuva444p`,
    `geq=lum='lum(X,Y)':cb='cb(X,Y)':cr='cr(X,Y)':a='${roundedBox(radius, 230)}',format=yuva420p`,
    text('Ada Lovelace', { size: 56, x: '40', y: 30 }),
    text('Analyst and first programmer', { size: 36, x: '40', y: 104 }),
    `${heldStill},trim=0:${shown.out[1] + 0.1}`,
    `fade=in:st=${shown.in[0]}:d=0.5:alpha=1,fade=out:st=${shown.out[0]}:d=0.5:alpha=1[low]`,
  ].join(',')
  const lowerHtml = `<div style="position:relative;width:${width}px;height:${height}px;border-radius:${radius}px;background:${color}">${html('Ada Lovelace', 56, 'position:absolute;left:40px;top:24px')}${html('Analyst and first programmer', 36, 'position:absolute;left:40px;top:98px')}</div>`
  return {
    ...{ name: 'W2 overlay', size: [1920, 1080], isStill: false },
    request: (address) => ({
      payload: {
        ...{ width: 1920, height: 1080, frameRate: 30, duration: 20, ...ground },
        visuals: [
          { type: 'VIDEO', src: address(clip), width: 1920, height: 1080 },
          {
            ...{ type: 'IMAGE', src: address(logo), track: 1, opacity: 0.8 },
            ...{ x: 1640, y: 700, width: 240, height: 240 },
          },
          {
            ...{ type: 'TEXT', html: lowerHtml, ...place, track: 2, opacity: 0.9 },
            ...{ enterBegin: shown.in[0], enterEnd: shown.in[1], enterAnimation: 'fade' },
            ...{ exitBegin: shown.out[0], exitEnd: shown.out[1], exitAnimation: 'fade' },
          },
        ],
        subtitle: {
          font: { family: 'DejaVu Sans', size: 44, color: '#ffffff', bold: true },
          stroke: { color: '#000000', width: 3 },
          ...{ position: 'bottom-center', margin: { x: 0, y: 58 } },
          captions: lines.map((line, i) => ({ start: 2 * i, end: 2 * i + 2, text: line })),
        },
      },
    }),
    graphs: [
      [
        ...['-i', clip, '-i', logo, '-filter_complex'],
        `[1:v]scale=240:240,format=rgba,colorchannelmixer=aa=0.8,format=yuva420p[l];${name};[0:v][l]overlay=1640:700[a];[a][low]overlay=${place.x}:${place.y}:eof_action=pass:enable='between(t,${shown.in[0]},${shown.out[1]})',${captions.join(',')}[v]`,
        ...['-map', '[v]', '-map', '0:a', ...aac, '-t', '20'],
      ],
    ],
  }
}

/** Returns a card whose words fade in; then nothing moves. */
function standing({ portrait, music }: Media): Workload {
  const words = ['Weekly digest', 'Seven stories', 'Read more on our site']
  const drawn = words.map((line, i) =>
    text(line, { size: 72, x: '90', y: 500 + 200 * i, more: `:alpha='min(1,t/${0.4 + 0.3 * i})'` }),
  )
  return {
    ...{ name: 'W3 static', size: [1080, 1920], isStill: false },
    request: (address) => ({
      payload: {
        ...{ width: 1080, height: 1920, frameRate: 30, duration: 30, ...ground },
        audios: [{ src: address(music), matchDuration: true }],
        visuals: [
          { type: 'IMAGE', src: address(portrait), width: 1080, height: 1920 },
          ...words.map((line, i) => ({
            ...{
              type: 'TEXT' as const,
              html: html(line, 72),
              x: 90,
              y: 500 + 200 * i,
              track: i + 1,
            },
            ...{ enterBegin: 0, enterEnd: 0.4 + 0.3 * i, enterAnimation: 'fade' as const },
          })),
        ],
      },
    }),
    graphs: [
      [
        ...['-i', portrait, '-i', music, '-filter_complex'],
        `[0:v]format=yuv420p,loop=31:1:0,setpts=N/30/TB,fps=30,${drawn.join(',')},trim=end_frame=32,tpad=stop_mode=clone:stop_duration=30,setsar=1[v]`,
        ...['-map', '[v]', '-map', '1:a', ...aac, '-t', '30'],
      ],
    ],
  }
}

const bulkCount = 50

function bulk({ logo }: Media): Workload {
  const guests = Array.from({ length: bulkCount }, (_, i) => ({
    ...{ name: `Guest number ${i + 1}`, color: tint(i) },
  }))
  return {
    ...{ name: 'W4 bulk of 50', size: [640, 360], isStill: false },
    request: (address) => ({
      payload: {
        ...{ width: 640, height: 360, frameRate: 30, duration: 3 },
        backgroundColor: '#{{ color }}',
        visuals: [
          {
            ...{ type: 'IMAGE', src: address(logo), x: 520, y: 20 },
            ...{ width: 100, height: 100 },
          },
          {
            ...{ type: 'TEXT', html: html('Welcome aboard,', 32), x: 40, y: 110, track: 1 },
            ...{ enterBegin: 0, enterEnd: 0.5, enterAnimation: 'fade' },
          },
          {
            ...{ type: 'TEXT', html: html('{{ name }}', 52), x: 40, y: 160, track: 2 },
            ...{ enterBegin: 0.3, enterEnd: 1, enterAnimation: 'slideup' },
          },
        ],
      },
      items: guests.map((variables) => ({ variables })),
    }),
    graphs: guests.map(({ name, color }) => [
      ...['-f', 'lavfi', '-i', `color=c=0x${color}:s=640x360:r=30:d=3`, '-i', logo],
      '-filter_complex',
      `[1:v]scale=100:100,format=yuva420p[l];[0:v]format=yuv420p,${text('Welcome aboard,', {
        ...{ size: 32, x: '40', y: 115, more: `:alpha='${passed(0, 0.5)}'` },
      })},${text(name, {
        ...{ size: 52, x: '40', y: `340-180*${eased(0.3, 0.7)}`, more: ":enable='gte(t,0.3)'" },
      })}[b];[b][l]overlay=520:20[v]`,
      ...['-map', '[v]', '-t', '3', '-threads', '1'],
    ]),
  }
}

const stillCount = 200

function stills({ photos }: Media): Workload {
  const articles = Array.from({ length: stillCount }, (_, i) => ({
    ...{ title: `Article ${i + 1}`, by: `Written by author ${(i % 50) + 1}`, color: tint(i) },
  }))
  const [photo = ''] = photos
  return {
    ...{ name: 'W5 200 stills', size: [1200, 630], isStill: true },
    request: (address) => ({
      payload: {
        ...{ type: 'image', outputFormat: 'png', width: 1200, height: 630 },
        backgroundColor: '#{{ color }}',
        visuals: [
          {
            ...{ type: 'IMAGE', src: address(photo), x: 600, y: 0 },
            ...{ width: 600, height: 630, resize: 'cover' },
          },
          { type: 'TEXT', html: html('{{ title }}', 56), x: 60, y: 180, track: 1 },
          { type: 'TEXT', html: html('{{ by }}', 30), x: 60, y: 270, track: 2 },
        ],
      },
      items: articles.map((variables) => ({ variables })),
    }),
    graphs: articles.map(({ title, by, color }) => [
      ...['-f', 'lavfi', '-i', `color=c=0x${color}:s=1200x630:d=0.04`, '-i', photo],
      '-filter_complex',
      `[1:v]scale=600:630:force_original_aspect_ratio=increase,crop=600:630,format=rgb24[p];[0:v]format=rgb24,${text(title, { size: 56, x: '60', y: 190 })},${text(by, { size: 30, x: '60', y: 276 })}[b];[b][p]overlay=600:0:format=rgb[v]`,
      ...['-map', '[v]', '-frames:v', '1', '-threads', '1'],
    ]),
  }
}
