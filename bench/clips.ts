import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startMediaServer } from '../cli/render/media-server.ts'
import { segmentArgs } from '../worker/encode/video.ts'
import { measureFilm } from './measure-film.ts'
import { secondsOf } from './statistics.ts'
import { type Job, startWarmFarm } from './warm-farm.ts'

const run = promisify(execFile)
const examples = join(import.meta.dirname, '..', 'examples')
const size = { width: 1920, height: 1080, frameRate: 30 }
const seconds = 12
const frames = seconds * size.frameRate
/**
 * Encodes like the farm: segments of 3 s, one thread each, as many at once as this machine's cores.
 */
const encoder = { encoder: 'libx264', preset: 'veryfast', crf: 23, threads: 1, gop: 120 } as const
const segmentFrames = 90
const lanes = 2

/**
 * Measures two films through a warm farm at 1920x1080: a clip under overlays and captions, and a
 * card on which nothing moves. In the same run, ffmpeg alone decodes the clip on all cores, and
 * encodes the finished film's pictures from raw YUV with the farm's settings.
 */
export async function benchClips(repeats: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'farm-bench-'))
  const server = await startMediaServer()
  const farm = await startWarmFarm({ trustedHosts: server.host })
  const clip = join(folder, 'clip')
  const encodeAlone = { 'encode alone': (job: Job) => encode(job, folder) }
  try {
    await makeClip(clip)
    const src = server.offer(clip)
    const photo = server.offer(join(examples, 'launch', 'media', 'dawn.jpg'))
    await farm.render({ ...card(photo, 99), duration: 1 })
    const measured = { frames, repeats }
    await measureFilm(farm, {
      ...{ ...measured, title: 'A clip with overlays and captions, 1920x1080' },
      film: (n) => captioned(src, n),
      beside: { 'decode alone': () => decode(clip), ...encodeAlone },
    })
    await measureFilm(farm, {
      ...{ ...measured, title: 'A static card, 1920x1080' },
      film: (n) => card(photo, n),
      beside: encodeAlone,
    })
  } finally {
    await farm.stop()
    server.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Makes a clip like a camera's: full frame, moving everywhere, a little noise, a GOP of 2 s. */
async function makeClip(file: string): Promise<void> {
  const sea = [
    '-stream_loop',
    '-1',
    '-i',
    join(examples, 'media', 'sea.mp4'),
    '-t',
    String(seconds),
  ]
  const look = `scale=${size.width}:${size.height},noise=alls=6:allf=t`
  const h264 = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '21', '-g', '60', '-c:a', 'aac']
  await run('ffmpeg', ['-v', 'error', ...sea, '-vf', look, ...h264, '-f', 'mp4', file])
}

async function decode(file: string): Promise<number> {
  const args = ['-v', 'error', '-i', file, '-map', '0:v', '-f', 'null', '-']
  return frames / (await secondsOf(() => run('ffmpeg', args)))
}

/** Encodes the film's first segment once for each of its segments. */
async function encode({ url }: Job, folder: string): Promise<number> {
  const raw = join(folder, 'raw')
  const first = ['-i', url ?? '', '-map', '0:v', '-frames:v', String(segmentFrames)]
  await run('ffmpeg', ['-v', 'error', '-y', ...first, '-f', 'rawvideo', '-pix_fmt', 'yuv420p', raw])
  let next = 0
  const lane = async (name: string) => {
    while (next < frames / segmentFrames) {
      next += 1
      await encodeOnce(raw, join(folder, name))
    }
  }
  const took = await secondsOf(() =>
    Promise.all(Array.from({ length: lanes }, (_, n) => lane(`lane-${n}`))),
  )
  await rm(raw)
  return frames / took
}

async function encodeOnce(raw: string, output: string): Promise<void> {
  const input = await open(raw)
  const args = segmentArgs({ ...size, encoder }, output)
  const [code] = await once(
    spawn('ffmpeg', args, { stdio: [input.fd, 'ignore', 'inherit'] }),
    'close',
  )
  await input.close()
  if (code !== 0) throw new Error(`ffmpeg must end with code 0. Got ${code}`)
}

const words =
  'the sea keeps no timetable and yet every wave arrives on time one after the other until night'

function captioned(src: string, run: number) {
  const each = words.split(' ').length / 6
  const title = (text: string, y: number, enter: string) => ({
    type: 'TEXT',
    html: `<div style="padding:14px 34px;border-radius:20px;background:rgba(20,12,38,0.6);font-family:'Manrope';font-weight:700;font-size:54px;color:#fff6ea;white-space:nowrap">${text}</div>`,
    ...{ x: 96, y, track: 2, enterBegin: 0.5, enterEnd: 1.2, enterAnimation: enter },
  })
  return {
    ...size,
    duration: seconds,
    visuals: [
      { type: 'VIDEO', src, width: size.width, height: size.height, hasAudio: true },
      title(`North pier, take ${run}`, 96, 'smoothup'),
      title('16 °C, wind from the west', 200, 'wiperight'),
    ],
    subtitle: {
      animation: 'karaoke',
      font: { family: 'Archivo', size: 72, bold: true },
      activeWord: { color: ['#ffd166', '#7cf5d0', '#ff9fb2'][run % 3] },
      captions: Array.from({ length: 6 }, (_, n) => ({
        ...{ start: n * 2, end: n * 2 + 2 },
        text: words
          .split(' ')
          .slice(Math.round(n * each), Math.round((n + 1) * each))
          .join(' '),
      })),
    },
  }
}

function card(photo: string, run: number) {
  return {
    ...size,
    duration: seconds,
    visuals: [
      { type: 'IMAGE', src: photo, width: size.width, height: size.height, resize: 'cover' },
      {
        type: 'TEXT',
        html: `<div style="font-family:'Playfair Display';font-weight:700;font-size:140px;color:#fff6ea;white-space:nowrap">Closed on day ${run}</div>`,
        ...{ position: 'center-center', track: 1 },
      },
    ],
  }
}
