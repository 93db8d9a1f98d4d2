import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Words } from './words.ts'
import type { Workload } from './workload.ts'

const run = promisify(execFile)

const frameRate = 30
const shownSeconds = 5
const overSeconds = 0.6
const names = ['fade', 'smoothleft', 'wipeup', 'dissolve', 'circleopen'] as const
const clipCount = names.length + 1
const size = { width: 1280, height: 720 }
const title = { words: 'Six days by the sea', size: 56, y: 653, in: 1, inEnd: 1.5, out: 6 }

/** Makes six clips of 1080p, 8 s and about 8 Mbit/s, a key frame every two seconds. @returns their files */
export async function makeClips(folder: string): Promise<readonly string[]> {
  const files = Array.from({ length: clipCount }, (_, at) => join(folder, `montage-${at}.mp4`))
  for (const [at, file] of files.entries()) {
    // Through RGB after the hue, as turned bars leave what RGB can hold.
    const look = `hue=h=${at * 60},format=gbrp,format=yuv420p,noise=alls=3:allf=t:all_seed=${at + 1}`
    const input = ['-f', 'lavfi', '-i', `testsrc2=s=1920x1080:r=${frameRate}:d=8`, '-vf', look]
    const rate = ['-b:v', '8M', '-maxrate', '10M', '-bufsize', '20M', '-g', '60']
    const h264 = ['-c:v', 'libx264', '-preset', 'veryfast', ...rate, '-pix_fmt', 'yuv420p']
    await run('ffmpeg', ['-v', 'error', '-y', ...input, ...h264, file])
  }
  return files
}

/** Clips led into each other by five transitions, a title that fades in over the first of them, and music. */
export function montage(
  { clips, music }: { readonly clips: readonly string[]; readonly music: string },
  { drawn, html, sound }: Words,
): Workload {
  const seconds = clips.length * shownSeconds
  const scaled = clips.map(
    (_, i) =>
      `[${i}:v]scale=1280:720:force_original_aspect_ratio=increase,crop=1280:720,fps=${frameRate},setsar=1[v${i}]`,
  )
  const led = names.map((name, i) => {
    const before = i === 0 ? 'v0' : `x${i - 1}`
    const offset = shownSeconds * (i + 1)
    return `[${before}][v${i + 1}]xfade=transition=${name}:duration=${overSeconds}:offset=${offset}[x${i}]`
  })
  const faded = `clip((t-${title.in})/${title.inEnd - title.in},0,1)`
  const words = drawn(title.words, {
    ...{ size: title.size, x: '(w-tw)/2', y: title.y },
    more: `:alpha='${faded}':enable='between(t,${title.in},${title.out})'`,
  })
  const graph = [...scaled, ...led, `[x${names.length - 1}]${words}[v]`].join(';')
  const read = clips.map((_, i) => shownSeconds + (i < names.length ? overSeconds : 0))
  return {
    ...{ name: 'W6 montage', size: [size.width, size.height], isStill: false },
    request: (address) => ({
      payload: {
        ...{ ...size, frameRate, duration: seconds },
        audios: [{ src: address(music), matchDuration: true }],
        visuals: [
          ...clips.map((clip, at) => ({
            ...{ type: 'VIDEO' as const, id: `clip${at}`, src: address(clip), ...size },
            ...{ resize: 'cover' as const, volume: 0, videoBegin: 0, videoEnd: shownSeconds },
            ...{ enterBegin: at * shownSeconds, exitEnd: (at + 1) * shownSeconds },
            ...(names[at] !== undefined && {
              ...{ transition: names[at], transitionDuration: overSeconds },
              transitionId: `clip${at + 1}`,
            }),
          })),
          {
            ...{ type: 'TEXT' as const, position: 'bottom-center' as const, track: 9 },
            ...{ enterBegin: title.in, enterEnd: title.inEnd, enterAnimation: 'fade' as const },
            ...{ exitBegin: title.out, exitEnd: title.out },
            html: html(title.words, title.size),
          },
        ],
      },
    }),
    graphs: [
      [
        ...clips.flatMap((clip, i) => ['-t', String(read[i]), '-i', clip]),
        ...['-i', music, '-filter_complex', graph],
        ...['-map', '[v]', '-map', `${clips.length}:a`, ...sound, '-t', String(seconds)],
      ],
    ],
  }
}
