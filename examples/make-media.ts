/** Regenerates the media of the examples: `npm run examples:media`. Nothing is downloaded. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Canvas } from '@napi-rs/canvas'
import { balloon } from './studio/balloon.ts'
import { clipRate, clipSize, drawClipFrame } from './studio/clip.ts'
import { confettiSize, drawConfetti } from './studio/confetti.ts'
import { craneSize, drawCrane } from './studio/crane.ts'
import { loudness, rails, surf } from './studio/foley.ts'
import { drawJourney, journeySize, postSeconds } from './studio/journey.ts'
import { dawn, dunes, night, rows } from './studio/landscapes.ts'
import { logo } from './studio/logo.ts'
import { launchBed, master, pad, type Sound, sampleRate, silence, toPcm } from './studio/music.ts'
import { drawReaction, reactionFrames, reactionSize } from './studio/reaction.ts'
import { drawSea, seaSize } from './studio/sea.ts'
import { slowTune, wordBeat } from './studio/tunes.ts'

const jpegQuality = 88
const bedSeconds = 12.5
const clipSeconds = 3
const tuneSeconds = 7

const launch = join(import.meta.dirname, 'launch', 'media')
/** Media that several examples use. */
const shared = join(import.meta.dirname, 'media')
const chromaKey = join(import.meta.dirname, 'chroma-key', 'media')

/** Runs ffmpeg on the output of `chunks`; the file carries no date and no encoder's name. */
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

type Clip = {
  readonly path: string
  readonly size: { readonly width: number; readonly height: number }
  readonly frames: Iterable<Canvas>
  readonly sound?: Sound
  /** Encoder arguments: its name and its quality. */
  readonly codec: readonly string[]
}

/** Encodes moving pictures and, if given, their sound. */
async function film({ path, size, frames, sound, codec }: Clip): Promise<string> {
  const wave = `${path}.pcm`
  if (sound) await writeFile(wave, toPcm(sound))
  const raw = ['-f', 'rawvideo', '-pix_fmt', 'rgba', '-s', `${size.width}x${size.height}`]
  const picture = [...raw, '-r', String(clipRate), '-i', 'pipe:0']
  const heard = ['-f', 's16le', '-ar', String(sampleRate), '-ac', '2', '-i', wave]
  const aac = ['-c:a', 'aac', '-b:a', '96k', '-movflags', '+faststart']
  const args = [...picture, ...(sound ? heard : []), ...codec, '-threads', '1']
  await encode([...args, ...(sound ? aac : [])], pixelsOf(frames), path)
  if (sound) await rm(wave)
  return path
}

function* pixelsOf(frames: Iterable<Canvas>): Generator<Uint8Array> {
  for (const frame of frames) yield frame.data()
}

function* framesOf(seconds: number, draw: (second: number) => Canvas): Generator<Canvas> {
  for (let n = 0; n < seconds * clipRate; n += 1) yield draw(n / clipRate)
}

/** Encodes BT.709, limited range, as a film is. */
function h264(quality: number): string[] {
  const colour = 'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p'
  const tags = ['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709']
  const encoder = ['-c:v', 'libx264', '-crf', String(quality), '-preset', 'slow']
  return ['-vf', colour, ...encoder, ...tags]
}

/** Draws bands of light that sway once, with a held chord. */
function bands(): Promise<string> {
  const sound = silence(clipSeconds)
  for (const note of [45, 57, 60, 64]) {
    pad(sound, { at: 0, length: clipSeconds - 0.7, note, gain: 0.2, pan: 0 })
  }
  const count = clipSeconds * clipRate
  const frames = framesOf(clipSeconds, (second) =>
    drawClipFrame(Math.round(second * clipRate), count),
  )
  return film({
    ...{ path: join(launch, 'clip.mp4'), size: clipSize, frames, codec: h264(27) },
    sound: master(sound, { rise: 0.2, fall: 0.8, peak: 0.6 }),
  })
}

function sea(): Promise<string> {
  const seconds = 4
  return film({
    ...{ path: join(shared, 'sea.mp4'), size: seaSize, codec: h264(27) },
    frames: framesOf(seconds, (second) => drawSea(second)),
    sound: master(surf(seconds), { rise: 0.3, fall: 0.3, peak: 0.6 }),
  })
}

function journey(): Promise<string> {
  const seconds = 5
  return film({
    ...{ path: join(shared, 'journey.mp4'), size: journeySize, codec: h264(26) },
    frames: framesOf(seconds, (second) => drawJourney(second)),
    sound: master(rails(seconds, postSeconds), { rise: 0.02, fall: 0.05, peak: 0.7 }),
  })
}

function crane(): Promise<string> {
  const frames = framesOf(4, (second) => drawCrane(second))
  return film({ path: join(shared, 'crane.mp4'), size: craneSize, codec: h264(20), frames })
}

function confetti(): Promise<string> {
  const frames = framesOf(3, (second) => drawConfetti(second))
  const vp9 = ['-c:v', 'libvpx-vp9', '-pix_fmt', 'yuva420p', '-crf', '52', '-b:v', '0']
  const tags = ['-auto-alt-ref', '0', '-row-mt', '0', '-cpu-used', '2']
  const codec = [...vp9, ...tags]
  return film({ path: join(shared, 'confetti.webm'), size: confettiSize, codec, frames })
}

function reaction(): Promise<string> {
  const frames = Array.from({ length: reactionFrames }, (_, index) => drawReaction(index))
  const palette = 'split[a][b];[a]palettegen=max_colors=64[p];[b][p]paletteuse=dither=none'
  const codec = ['-vf', `setpts=N/12/TB,fps=12,${palette}`, '-r', '12']
  const size = { width: reactionSize, height: reactionSize }
  return film({ path: join(shared, 'reaction.gif'), size, codec, frames })
}

/** Writes the outline of the tune into the example that shows it: a line for every 8 px. */
async function outline(): Promise<string> {
  const path = join(import.meta.dirname, 'audiogram', 'project.json')
  const project = JSON.parse(await readFile(path, 'utf8'))
  const bars = loudness(slowTune(tuneSeconds), 76).map((level, n) => {
    const half = Math.round(3 + 68 * level ** 0.8)
    return `M${4 + n * 8} ${75 - half}v${2 * half}`
  })
  project.variables.wave = bars.join('')
  await writeFile(path, `${JSON.stringify(project, null, 2)}\n`)
  return path
}

async function tune(path: string, sound: Sound, bitrate: string): Promise<string> {
  const pcm = ['-f', 's16le', '-ar', String(sampleRate), '-ac', '2', '-i', 'pipe:0']
  const aac = ['-c:a', 'aac', '-b:a', bitrate, '-movflags', '+faststart']
  await encode([...pcm, ...aac], [toPcm(sound)], path)
  return path
}

for (const folder of [launch, chromaKey, shared]) await mkdir(folder, { recursive: true })
const made = [
  await photograph('dawn', dawn()),
  await photograph('rows', rows()),
  await photograph('night', night()),
  await photograph('dunes', dunes()),
  await photograph('balloon', balloon(640), chromaKey),
  await mark(),
  await tune(join(launch, 'bed.m4a'), launchBed(bedSeconds), '128k'),
  await tune(join(shared, 'beat.m4a'), wordBeat(6), '96k'),
  await tune(join(shared, 'tune.m4a'), slowTune(tuneSeconds), '96k'),
  await outline(),
  await bands(),
  await sea(),
  await journey(),
  await crane(),
  await confetti(),
  await reaction(),
]
for (const path of made) console.log(`${path}  ${Math.round((await stat(path)).size / 1000)} kB`)
