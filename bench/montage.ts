import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

const clipSeconds = 8
const shownSeconds = 5
const overSeconds = 0.4
const transitions = ['fade', 'smoothleft', 'wipeup', 'dissolve', 'circleopen', undefined] as const

const sizes = [
  { width: 1280, height: 720 },
  { width: 1920, height: 1080 },
] as const

/** Six clips of 720p and 1080p, 30 frames a second, 8 s and about 8 Mbit/s each, with noise as cameras have. @returns their files */
export async function makeMontageClips(folder: string): Promise<readonly string[]> {
  const files = transitions.map((_, at) => join(folder, `clip-${at}`))
  for (const [at, file] of files.entries()) {
    const { width, height } = sizes[at % 2] ?? sizes[0]
    const source = `testsrc2=s=${width}x${height}:r=30:d=${clipSeconds}`
    const look = `hue=h=${at * 60},format=yuv420p,noise=alls=3:allf=t:all_seed=${at + 1}`
    const rate = ['-b:v', '8M', '-maxrate', '10M', '-bufsize', '16M', '-g', '60']
    const h264 = ['-c:v', 'libx264', '-preset', 'veryfast', ...rate, '-pix_fmt', 'yuv420p']
    const input = ['-f', 'lavfi', '-i', source, '-vf', look]
    await run('ffmpeg', ['-v', 'error', '-y', ...input, ...h264, '-f', 'mp4', file])
  }
  return files
}

/** A film of 1080p and 30 s: six clips led into each other, words over them. Each `number` makes other frames. */
export function montage(clips: readonly string[], number: number) {
  const size = { width: 1920, height: 1080 }
  const skipped = (number % 30) / 30
  return {
    ...{ ...size, frameRate: 30, duration: clips.length * shownSeconds },
    visuals: [
      ...clips.map((src, at) => ({
        ...{ type: 'VIDEO', id: `clip${at}`, src, ...size, resize: 'cover', volume: 0 },
        ...{ videoBegin: skipped, videoEnd: skipped + shownSeconds },
        ...{ enterBegin: at * shownSeconds, exitEnd: (at + 1) * shownSeconds },
        ...(transitions[at] !== undefined && {
          transition: transitions[at],
          transitionDuration: overSeconds,
          transitionId: `clip${at + 1}`,
        }),
      })),
      {
        ...{ type: 'TEXT', x: 80, y: 900, track: 9, enterAnimation: 'fade', enterEnd: 0.5 },
        html: `<b style="font-size:80px;color:white">Montage ${number}</b>`,
      },
    ],
  }
}
