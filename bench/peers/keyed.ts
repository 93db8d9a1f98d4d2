import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { heldStill, roundedBox, zoomed } from './filters.ts'
import type { Workload } from './workload.ts'

const run = promisify(execFile)

const size = { width: 1280, height: 720 }
const frameRate = 30
const seconds = 10
const green = { color: '#12b24a', similarity: 18, blend: 8 }
const speaker = { x: 660, y: 380, width: 960, height: 540, angle: -6, radius: 40 }
/** Windows at other speeds: `from` is the second of the clip at which each begins. */
const windows = [
  { x: 40, y: 40, width: 384, height: 216, speed: 2, from: 0 },
  { x: 856, y: 40, width: 384, height: 216, speed: 0.5, from: 1 },
] as const
const windowSeconds = 3.6

/** Makes a clip of 720p before a green screen: bars that wander, with noise. @returns its file */
export async function makeGreenScreen(folder: string): Promise<string> {
  const file = join(folder, 'green-screen.mp4')
  const look = [
    `[1:v]format=yuv420p[bars];[0:v][bars]overlay=x='440+300*sin(t*1.3)':y='160+90*cos(t)'`,
    'noise=alls=3:allf=t:all_seed=7',
  ].join(',')
  const sources = [
    `color=c=${green.color}:s=1280x720:r=${frameRate}:d=${seconds}`,
    `testsrc2=s=400x400:r=${frameRate}:d=${seconds}`,
  ].flatMap((source) => ['-f', 'lavfi', '-i', source])
  const h264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-b:v', '6M', '-g', '60']
  await run('ffmpeg', [
    ...['-v', 'error', '-y', ...sources, '-filter_complex', look],
    ...[...h264, '-pix_fmt', 'yuv420p', file],
  ])
  return file
}

type KeyedMedia = {
  readonly greenScreen: string
  readonly clips: readonly string[]
  readonly photos: readonly string[]
}

/** A keyed, turned and rounded clip over a zooming photograph, beside two windows at other speeds. */
export function keyed({ greenScreen, clips, photos }: KeyedMedia): Workload {
  const [photo = ''] = photos
  const shown = windows.map((window, at) => ({ ...window, clip: clips[at] ?? '' }))
  const { angle, radius, ...box } = speaker
  return {
    ...{ name: 'W8 keyed', size: [size.width, size.height], isStill: false },
    request: (address) => ({
      payload: {
        ...{ ...size, frameRate, duration: seconds, backgroundColor: '#000000' },
        visuals: [
          {
            ...{ type: 'IMAGE', src: address(photo), ...size },
            ...{ resize: 'cover', zoom: { depth: 1.15 } },
          },
          ...shown.map(({ clip, speed, from, ...place }, at) => ({
            ...{ type: 'VIDEO' as const, src: address(clip), ...place, track: at + 1 },
            ...{ volume: 0, speed, videoBegin: from, videoEnd: from + windowSeconds * speed },
            ...{ exitEnd: windowSeconds, resize: 'cover' as const },
          })),
          {
            ...{ type: 'VIDEO', src: address(greenScreen), ...box, anchor: 'center-center' },
            ...{ track: 4, volume: 0, angle, chromaKey: green, videoEnd: seconds },
            radius: { tl: radius, tr: radius, bl: radius, br: radius },
          },
        ],
      },
    }),
    graphs: [
      [
        ...['-i', photo, ...shown.flatMap(({ clip, from }) => ['-ss', `${from}`, '-i', clip])],
        ...['-i', greenScreen, '-filter_complex', graph()],
        ...['-map', '[v]', '-t', `${seconds}`],
      ],
    ],
  }
}

function graph(): string {
  const { width, height } = size
  const frames = seconds * frameRate
  const ground = `[0:v]${zoomed(width, height, frames)}[g0]`
  const each = windows.flatMap((window, at) => [
    `[${at + 1}:v]setpts=PTS/${window.speed},fps=${frameRate},scale=${window.width}:${window.height},trim=end=${windowSeconds}[w${at}]`,
    `[g${at}][w${at}]overlay=${window.x}:${window.y}:eof_action=pass[g${at + 1}]`,
  ])
  const { radius, angle, x, y } = speaker
  const turn = `${angle}*PI/180`
  return [
    ...[ground, ...each],
    `[${windows.length + 1}:v]scale=${speaker.width}:${speaker.height},format=rgba,colorkey=${green.color}:${green.similarity / 100}:${green.blend / 100},format=yuva420p,split[k][l]`,
    `color=c=black:s=${speaker.width}x${speaker.height}:r=30:d=0.03,format=gray,geq=lum='${roundedBox(radius, 255)}',${heldStill}[r]`,
    '[l]alphaextract[a];[a][r]blend=all_mode=multiply:shortest=1[m]',
    `[k][m]alphamerge,rotate=${turn}:c=none:ow='rotw(${turn})':oh='roth(${turn})'[t]`,
    `[g${windows.length}][t]overlay=x='${x}-w/2':y='${y}-h/2'[v]`,
  ].join(';')
}
