import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { FarmError } from '../../core/errors.ts'
import { type FilmFormat, filmFormats, isEncodedAhead } from '../../core/plan/formats.ts'
import { audioSampleRate } from '../../core/plan/plan.ts'
import { scratchFolder } from '../files/scratch.ts'
import { writeBeginning } from '../mp4/beginning.ts'
import { readDelay } from '../mp4/delay.ts'
import { joinMp4 } from '../mp4/join.ts'
import { readVideoFacts, recordSize } from '../mp4/movie-box.ts'
import { runFenced } from '../process/one-shot.ts'
import type { Limits, Sandbox } from '../process/sandbox.ts'
import { type DecodedClip, mixSound } from '../sound/mix.ts'
import { joinOptions, soundOptions, sounds } from './container.ts'
import { encoderError } from './frame-pipe.ts'
import { jpegArgs, jpegFilters, thumbnailSide } from './video.ts'
import { recordDuration } from './webm.ts'

export type SegmentFile = { readonly index: number; readonly file: string; readonly frames: number }

export type Film = {
  readonly format: FilmFormat
  /** Segments in the film's order. */
  readonly segments: readonly SegmentFile[]
  readonly width: number
  readonly height: number
  readonly frameRate: number
  readonly title: string
  /** Empty = the film has no sound track, or it is already encoded. */
  readonly clips: readonly DecodedClip[]
  /** File that `encodeSound` made of the clips; absent: they are encoded now. */
  readonly sound?: string
}

export type JoinWork = {
  readonly sandbox: Sandbox
  /** Scratch directory of the task. */
  readonly dir: string
  readonly signal?: AbortSignal
}

const joinTimeoutMs = 1_200_000
const thumbnailTimeoutMs = 60_000
/** Segments came from other nodes, so ffmpeg reads them behind the fence too. */
const joinLimits: Limits = { memoryBytes: 2 ** 30, cpuSeconds: 1_200, fileBytes: 2 ** 36 }

/**
 * Joins segments into `out/film` without encoding the pictures again; sound is mixed and encoded
 * once for the whole film. @throws Error when a segment does not match the plan
 */
export async function joinFilm(film: Film, work: JoinWork): Promise<string> {
  await checkSegments(film.segments)
  const output = join(await scratchFolder(work.dir, 'out'), 'film')
  const sound = film.sound ?? (isAhead(film) ? await encodeSound(film, work) : undefined)
  const heard = { ...film, ...(sound !== undefined && { sound }) }
  await (film.format === 'mp4' ? copySamples : joinByFfmpeg)(heard, output, work)
  await finishContainer(output, film)
  return output
}

async function copySamples(
  { segments, sound, frameRate, title }: Film,
  output: string,
): Promise<void> {
  const files = segments.map(({ file }) => file)
  await joinMp4({ segments: files, ...(sound && { sound }), frameRate, title }, output)
}

async function joinByFfmpeg(film: Film, output: string, work: JoinWork): Promise<void> {
  const { segments, sound } = film
  const list = join(work.dir, 'segments.txt')
  await writeFile(list, segments.map(({ file }) => `file '${file}'\n`).join(''))
  const delay = film.format === 'mov' ? await delayOfAll(segments) : 0
  const audio = sound ? 'encoded' : film.clips.length > 0 ? 'raw' : undefined
  const ended = await runFenced(
    {
      inputs: [
        { source: list, options: ['-f', 'concat', '-safe', '0'] },
        ...(sound ? [{ source: sound, options: ['-f', 'mov'] }] : []),
        ...(audio === 'raw' ? [soundInput(film)] : []),
      ],
      outputs: [
        { target: output, options: joinOptions({ ...film, delay, ...(audio && { audio }) }) },
      ],
    },
    fencedFor(work, {
      read: [list, ...segments.map(({ file }) => file), ...(sound ? [sound] : [])],
      timeoutMs: joinTimeoutMs,
    }),
  )
  if (ended.exitCode !== 0) throw encoderError(ended.exitCode, ended.stderrTail)
}

/** Returns the longest delay of the segments' pictures, frames. */
async function delayOfAll(segments: readonly SegmentFile[]): Promise<number> {
  const files = new Set(segments.map(({ file }) => file))
  return Math.max(...(await Promise.all([...files].map(readDelay))))
}

type FilmSound = Pick<Film, 'format' | 'frameRate' | 'clips'> & {
  readonly segments: readonly { readonly frames: number }[]
}

function isAhead({ format, clips }: Pick<Film, 'format' | 'clips'>): boolean {
  return clips.length > 0 && isEncodedAhead(filmFormats[format].sound)
}

/**
 * Mixes and encodes the film's sound into `out/sound`, for a format that allows it ahead of the
 * pictures. It takes one core, so it runs beside them. An mp4 keeps its beginning and end exactly.
 */
export async function encodeSound(film: FilmSound, work: JoinWork): Promise<string> {
  const target = join(await scratchFolder(work.dir, 'out'), 'sound')
  const exact = ['-flags:a', '+bitexact', '-fflags', '+bitexact', '-map_metadata', '-1']
  const options = ['-map', '0:a:0', ...soundOptions(film.format), ...exact, '-f', 'mp4']
  const ended = await runFenced(
    { inputs: [soundInput(film)], outputs: [{ target, options }] },
    fencedFor(work, { read: [], timeoutMs: joinTimeoutMs }),
  )
  if (ended.exitCode !== 0) throw encoderError(ended.exitCode, ended.stderrTail)
  return target
}

/** Writes what ffmpeg has no option for. */
async function finishContainer(file: string, film: Film): Promise<void> {
  switch (film.format) {
    case 'mp4':
    case 'mov':
      if (film.width % 2 === 1 || film.height % 2 === 1) await recordSize(file, film)
      return
    case 'webm':
      await recordDuration(file, framesOf(film) / film.frameRate)
      return
    case 'avi':
      return
    default:
      film.format satisfies never
  }
}

const framesOf = ({ segments }: Pick<FilmSound, 'segments'>) =>
  segments.reduce((sum, { frames }) => sum + frames, 0)

/** Returns the sound input, as long as the pictures: every frame has its last sample. */
function soundInput(film: FilmSound) {
  const samples = Math.round((framesOf(film) * audioSampleRate) / film.frameRate)
  const { inputArgs, lead } = sounds[filmFormats[film.format].sound]
  return {
    source: Readable.from(soundOf(film.clips, { samples, lead })),
    options: [...inputArgs, '-f', 'f32le', '-ar', String(audioSampleRate), '-ac', '2'],
  }
}

async function* soundOf(
  clips: Film['clips'],
  { samples, lead }: { samples: number; lead: number },
): AsyncGenerator<Buffer> {
  if (lead > 0) yield Buffer.alloc(lead * stereoFrameBytes)
  yield* mixSound(clips, samples)
}

/** Bytes of two float32 samples. */
const stereoFrameBytes = 8

async function checkSegments(segments: readonly SegmentFile[]): Promise<void> {
  let first: string | undefined
  for (const { index, file, frames } of segments) {
    const facts = await readVideoFacts(file)
    if (facts.frames !== frames) {
      throw new FarmError(
        'internal',
        `Segment ${index} must have ${frames} frames. Got ${facts.frames}`,
      )
    }
    first ??= facts.decoderConfig
    if (facts.decoderConfig !== first) {
      throw new FarmError('internal', `Segment ${index} was encoded unlike the first one`)
    }
  }
}

/** Frame of a segment (0-based), and the size of the film. */
type SeenFrame = Pick<Film, 'width' | 'height' | 'frameRate'> & {
  readonly file: string
  readonly frame: number
}

/** Writes one frame of a segment as a jpg, at most `thumbnailSide` px a side. */
export async function takeThumbnail(
  { file, frame, ...film }: SeenFrame,
  work: JoinWork,
): Promise<string> {
  const target = join(await scratchFolder(work.dir, 'out'), 'thumbnail')
  const source = join(work.dir, 'thumbnail-beginning')
  const shown = await writeBeginning(file, { frame, to: source })
  // Two threads: the rest of the film is done by then.
  const input = { source, options: ['-nostdin', '-threads', '2', '-f', 'mov'] }
  const filters = `select='eq(n,${shown})',${jpegFilters(film, thumbnailSide)}`
  const ended = await runFenced(
    {
      inputs: [input],
      outputs: [{ target, options: ['-map', '0:v:0', '-vf', filters, ...jpegArgs] }],
    },
    fencedFor(work, { read: [source], timeoutMs: thumbnailTimeoutMs }),
  )
  if (ended.exitCode !== 0) throw encoderError(ended.exitCode, ended.stderrTail)
  return target
}

function fencedFor(
  { sandbox, dir, signal }: JoinWork,
  { read, timeoutMs }: { read: readonly string[]; timeoutMs: number },
) {
  const fence = { read, write: [join(dir, 'out')], limits: joinLimits }
  return { sandbox, timeoutMs, fence, ...(signal && { signal }) }
}
