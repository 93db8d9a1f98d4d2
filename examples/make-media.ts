/** Makes the media of the examples anew: `npm run examples:media`. Nothing is downloaded. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Canvas } from '@napi-rs/canvas'
import { balloon } from './studio/balloon.ts'
import { clipRate, clipSize, drawClipFrame } from './studio/clip.ts'
import { dawn, dunes, night, rows } from './studio/landscapes.ts'
import { logo } from './studio/logo.ts'
import { launchBed, master, pad, sampleRate, silence, toPcm } from './studio/music.ts'

const jpegQuality = 88
const bedSeconds = 12.5
const clipSeconds = 3

const launch = join(import.meta.dirname, 'launch', 'media')
const chromaKey = join(import.meta.dirname, 'chroma-key', 'media')

/** Runs ffmpeg over what `chunks` yields; the file carries no date and no encoder's name. */
async function encode(
  args: readonly string[],
  chunks: Iterable<Uint8Array>,
  output: string,
): Promise<void> {
  const quiet = ['-v', 'error', '-nostdin', '-y']
  const bare = ['-map_metadata', '-1', '-fflags', '+bitexact', '-flags', '+bitexact']
  const ffmpeg = spawn('ffmpeg', [...quiet, ...args, ...bare, output], {
    stdio: ['pipe', 'inherit', 'inherit'],
  })
  const ended = once(ffmpeg, 'close')
  for (const chunk of chunks) {
    if (!ffmpeg.stdin.write(chunk)) await once(ffmpeg.stdin, 'drain')
  }
  ffmpeg.stdin.end()
  const [code] = await ended
  if (code !== 0) throw new Error(`ffmpeg must end with code 0 for ${output}. Got ${code}`)
}

async function photograph(name: string, canvas: Canvas, folder = launch): Promise<string> {
  const path = join(folder, `${name}.jpg`)
  await writeFile(path, await canvas.encode('jpeg', jpegQuality))
  return path
}

async function mark(): Promise<string> {
  const path = join(launch, 'logo.png')
  await writeFile(path, await logo(320).encode('png'))
  return path
}

async function music(): Promise<string> {
  const path = join(launch, 'bed.m4a')
  const pcm = ['-f', 's16le', '-ar', String(sampleRate), '-ac', '2', '-i', 'pipe:0']
  const aac = ['-c:a', 'aac', '-b:a', '128k', '-movflags', '+faststart']
  await encode([...pcm, ...aac], [toPcm(launchBed(bedSeconds))], path)
  return path
}

function* clipFrames(): Generator<Uint8Array> {
  const count = clipSeconds * clipRate
  for (let index = 0; index < count; index += 1) yield drawClipFrame(index, count).data()
}

/** The moving picture and, beside it, a held chord: encoded apart, then joined without loss. */
async function clip(): Promise<string> {
  const path = join(launch, 'clip.mp4')
  const sound = silence(clipSeconds)
  for (const note of [45, 57, 60, 64]) {
    pad(sound, { at: 0, length: clipSeconds - 0.7, note, gain: 0.2, pan: 0 })
  }
  const wave = join(launch, 'clip.pcm')
  await writeFile(wave, toPcm(master(sound, { rise: 0.2, fall: 0.8, peak: 0.6 })))
  const size = `${clipSize.width}x${clipSize.height}`
  const picture = [
    '-f',
    'rawvideo',
    '-pix_fmt',
    'rgba',
    '-s',
    size,
    '-r',
    String(clipRate),
    '-i',
    'pipe:0',
  ]
  const audio = ['-f', 's16le', '-ar', String(sampleRate), '-ac', '2', '-i', wave]
  const colour = 'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p'
  const tags = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709']
  const h264 = ['-vf', colour, '-c:v', 'libx264', '-crf', '27', '-preset', 'slow', '-threads', '1']
  const aac = ['-c:a', 'aac', '-b:a', '96k', '-movflags', '+faststart']
  await encode([...picture, ...audio, ...h264, ...tags, ...aac], clipFrames(), path)
  await rm(wave)
  return path
}

for (const folder of [launch, chromaKey]) await mkdir(folder, { recursive: true })
const made = [
  await photograph('dawn', dawn()),
  await photograph('rows', rows()),
  await photograph('night', night()),
  await photograph('dunes', dunes()),
  await photograph('balloon', balloon(640), chromaKey),
  await mark(),
  await music(),
  await clip(),
]
for (const path of made) console.log(`${path}  ${Math.round((await stat(path)).size / 1000)} kB`)
