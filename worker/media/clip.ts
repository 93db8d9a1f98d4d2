import { FarmError } from '../../core/errors.ts'
import type { ClipFacts } from '../../core/timeline/facts.ts'
import { readWhole } from '../files/read-whole.ts'
import { type ClipPacket, keyFramesOf } from './clip-keys.ts'
import {
  type ClipFile,
  type ClipHeader,
  type ClipWork,
  clipInputFlags,
  noPictures,
  readClipHeader,
  runOnClip,
} from './clip-probe.ts'
import { clipArgs, firstFramesArgs } from './clip-stream.ts'
import { type ClipTicks, sequenceOf } from './clip-times.ts'
import { goesOnFor } from './goes-on-for.ts'
import { mediaLimits } from './limits.ts'
import { mendGif } from './mend-gif.ts'
import { type Mp4Structure, readMp4Structure } from './mp4-structure.ts'
import { readPictureSize } from './picture-size.ts'
import { structureFault } from './picture-structure.ts'
import { readableClip } from './readable-clip.ts'

/** Largest gap between a file's end and its claimed length that gives no warning. */
const missingSecondsMax = 0.5
/**
 * Muxers that do not know how long the last frame is shown write nothing, or one tick of their
 * clock.
 */
const negligibleSeconds = 0.002
/** 4 hours at 120 frames a second. */
const framesMax = 4 * 3600 * 120

export type InspectedClip = ClipFile & {
  readonly kind: ClipFacts['kind']
  /** Position in the request. */
  readonly field: string
}

/**
 * Inspects a clip: reads its packets to the end and decodes its first frame. The parts that a film
 * shows are decoded where it is painted, so damage in the middle shows there. Errors: FarmError
 * `media_too_large`, `media_invalid`, with the field.
 */
export async function inspectClip(
  sent: InspectedClip,
  work: ClipWork & {
    /** Receives the header of a clip that was accepted. */
    readonly onHeader?: (header: ClipHeader) => void
  },
): Promise<ClipFacts> {
  if (sent.kind === 'gif') await checkGif(sent)
  const { warnings, isCut: isMended, ...readable } = await readableClip(sent, `${sent.file}-mended`)
  const clip = { ...sent, ...readable }
  const mp4 = clip.format === 'mp4' ? await checkedTables(clip) : undefined
  const mayBeCut = mp4?.isCut ?? clip.format === 'webm'
  const readAll = () => readPackets({ ...clip, mayBeCut }, work)
  // A counted file can be read to its end in parallel with its header.
  const reading = isCounted(clip) ? readAll() : undefined
  const [header, read] = await bothEnded([readAllowedHeader(clip, work), reading])
  if (!isCounted(clip) && (await goesOnTooLong(clip, work))) throw tooLong(clip)
  const { packets, endsEarly } = read ?? (await readAll())
  const ticks = ticksOf(clip, { header, packets })
  const [over, under] = header.tick
  const seconds = (tick: number) => ((tick - header.startTick) * over) / under
  const end = seconds((ticks.shown.at(-1) ?? 0) + ticks.lastLength)
  if (end > mediaLimits.clipSeconds) throw tooLong(clip, end)
  // When the last packet does not say how long it is shown, the header's length may include it.
  const isReported = (ticks.lastLength * over) / under > negligibleSeconds
  const isShort = isReported && header.claimedSeconds - end > missingSecondsMax
  const lacksFragments = mp4?.isCut === true && mp4.isFragmented
  const isCut = isMended || isShort || endsEarly || lacksFragments
  const cutOff = isCut ? [cutOffWarning(header, end)] : [...(warnings ?? [])]
  const sequence = sequenceOf(ticks, header)
  const keyFrames = await decodeFirst(clip, {
    ...{ header, work, frameRate: sequence.frameRate },
    keyFrames: keyFramesOf(packets, header, sequence.frameRate),
  })
  work.onHeader?.(header)
  const { kind, format } = clip
  const { width, height, hasAlpha, hasAudio } = header
  return {
    kind,
    format,
    width,
    height,
    ...sequence,
    hasAlpha,
    hasAudio,
    ...(cutOff.length > 0 && { warnings: cutOff }),
    ...(kind === 'video' && { keyFrames }),
  }
}

function cutOffWarning({ claimedSeconds }: ClipHeader, end: number): string {
  const isKnown = claimedSeconds - end > negligibleSeconds
  const said = isKnown ? `The header says ${claimedSeconds.toFixed(2)} s; the` : 'The'
  return `The clip is cut off. ${said} ${end.toFixed(2)} s that are there are used, and the last frame is held.`
}

/** Awaits both; if both fail, the first one's error wins. */
async function bothEnded<A, B>([first, second]: [Promise<A>, Promise<B> | undefined]): Promise<
  [A, B | undefined]
> {
  await Promise.allSettled([first, second])
  return [await first, await second]
}

async function readAllowedHeader(clip: InspectedClip, work: ClipWork): Promise<ClipHeader> {
  const header = await readClipHeader(clip, work)
  if ('failure' in header) throw unreadable(clip, header.failure)
  checkSize(clip, header)
  if (header.claimedSeconds > mediaLimits.clipSeconds) throw tooLong(clip, header.claimedSeconds)
  return header
}

/** The tables of an mp4 and the blocks of a GIF have been counted, so they end. */
const isCounted = ({ format }: InspectedClip) => format !== 'webm'

async function goesOnTooLong({ file, format }: InspectedClip, work: ClipWork): Promise<boolean> {
  const input = { file, flags: clipInputFlags(format), track: '0:V:0' }
  return goesOnFor(input, mediaLimits.clipSeconds, work)
}

/** Follows the blocks of a GIF, which is cheap. */
async function checkGif(clip: InspectedClip): Promise<void> {
  const size = await readPictureSize(clip.file, 'gif')
  const bytes = await readWhole(clip.file)
  const pixels = (size?.width ?? 0) * (size?.height ?? 0)
  if (!size || pixels === 0) throw damaged(clip, 'no size in its header')
  checkSize(clip, size)
  const fault = structureFault(bytes, { format: 'gif', pixels })
  // Shows whatever is there, unless no frame is whole.
  if (fault && (fault !== 'is cut off' || mendGif(bytes)?.frames === undefined)) {
    const rule = 'The GIF must be whole and undamaged'
    throw new FarmError('media_invalid', `${rule}. This one ${fault}.`, { field: clip.field })
  }
}

/** Checks the tables of an mp4 before a program trusts them. */
async function checkedTables(clip: InspectedClip): Promise<Mp4Structure> {
  const structure = await readMp4Structure(clip.file)
  const { fault } = structure
  if (fault === undefined) return structure
  const rule = 'The clip must be whole and undamaged'
  throw new FarmError('media_invalid', `${rule}. This one ${fault}.`, { field: clip.field })
}

function checkSize(clip: InspectedClip, header: Pick<ClipHeader, 'width' | 'height'>): void {
  const { clipPixels, imageEdge } = mediaLimits
  const { width, height } = header
  if (width * height > clipPixels || Math.max(width, height) > imageEdge)
    throw tooLarge(clip, header)
}

function tooLong({ field }: InspectedClip, seconds?: number): FarmError {
  const rule = `A clip must be at most ${mediaLimits.clipSeconds} s long`
  const seen = seconds === undefined ? 'one that goes on beyond that' : `${Math.round(seconds)} s`
  return new FarmError('media_too_large', `${rule}. Got ${seen}.`, { field })
}

function tooLarge(
  { field }: InspectedClip,
  { width, height }: Pick<ClipHeader, 'width' | 'height'>,
): FarmError {
  const { clipPixels, imageEdge } = mediaLimits
  const rule = `A clip must have at most ${clipPixels / 1e6} million pixels a frame and edges of ${imageEdge} px`
  return new FarmError('media_too_large', `${rule}. Got ${width} x ${height}.`, { field })
}

type ReadPackets = {
  readonly packets: readonly ClipPacket[]
  /** The file ends in the middle of its content. */
  readonly endsEarly: boolean
}

/**
 * Reads all packets without decoding them, up to the last whole one of a file that may be cut off.
 */
async function readPackets(
  clip: InspectedClip & { readonly mayBeCut: boolean },
  work: ClipWork,
): Promise<ReadPackets> {
  const packets: ClipPacket[] = []
  const onLine = (line: string) => {
    // Fields: stream, dts, pts, duration, size, checksum; then flags if they differ from a key
    // frame's.
    const fields = line.startsWith('0,') ? line.split(',') : []
    const [, decoded = Number.NaN, shown = Number.NaN, length = 0] = fields.map(Number)
    if (!(Math.abs(shown) < Number.MAX_SAFE_INTEGER) || packets.length === framesMax) return
    packets.push({ decoded, shown, length, isKey: !/, F=0x[0-9A-F]*[02468ACE]\b/.test(line) })
  }
  const args = [
    ...['-v', 'error', '-nostdin', '-xerror'],
    ...clipInputFlags(clip.format),
    ...['-copyts', '-i', clip.file, '-map', '0:V:0', '-c', 'copy'],
    ...['-flush_packets', '0', '-f', 'framecrc', '-'],
  ]
  const ended = await runOnClip('ffmpeg', args, { clip, work, onStdout: linesOf(onLine) })
  const endsEarly = /ended prematurely|partial file/.test(ended.stderrTail)
  const isUsable = ended.exitCode === 0 && (!endsEarly || clip.mayBeCut) && packets.length > 0
  if (!isUsable) throw damaged(clip, ended.stderrTail)
  return { packets, endsEarly }
}

function ticksOf(
  clip: InspectedClip,
  { header, packets }: { header: ClipHeader; packets: readonly ClipPacket[] },
): ClipTicks {
  const inOrder = packets.toSorted((a, b) => a.shown - b.shown)
  const shown = inOrder.map((packet) => packet.shown)
  if (clip.kind === 'gif' && header.width * header.height * shown.length > mediaLimits.gifPixels) {
    const rule = `The frames of a GIF must have at most ${mediaLimits.gifPixels / 1e6} million pixels together`
    const seen = `${shown.length} of ${header.width} x ${header.height}`
    throw new FarmError('media_too_large', `${rule}. Got ${seen}.`, { field: clip.field })
  }
  return { shown, lastLength: inOrder.at(-1)?.length ?? 0 }
}

function linesOf(onLine: (line: string) => void): (chunk: Buffer) => void {
  let rest = ''
  return (chunk) => {
    const lines = (rest + chunk.toString('latin1')).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onLine(line)
  }
}

/**
 * Decodes the first frame, which must succeed. Returns the key frames at which decoding may begin.
 *
 * H.264 also marks frames as key that are complete only after some more (periodic intra refresh):
 * its decoder gives the first complete one for all before. If the second key frame is such, none is
 * returned. One ffmpeg decodes both; if that fails, another tells whether the first was at fault.
 */
async function decodeFirst(
  clip: InspectedClip,
  {
    header,
    frameRate,
    keyFrames,
    work,
  }: {
    header: ClipHeader
    frameRate: readonly [number, number]
    keyFrames: readonly number[]
    work: ClipWork
  },
): Promise<number[]> {
  const size = [header.width, header.height] as const
  const first = clipArgs({ clip, header, wanted: { frames: [0], frameRate, size } }, 'null')
  const [, keyFrame] = keyFrames
  const isProven = header.codec !== 'h264' || keyFrame === undefined
  if (!isProven) {
    const args = firstFramesArgs({ clip, header }, { keyFrame, frameRate })
    const both = await runOnClip('ffmpeg', args, { clip, work })
    if (both.exitCode === 0) return /^0,/m.test(both.stdout) ? [...keyFrames] : []
  }
  const ended = await runOnClip('ffmpeg', first, { clip, work })
  if (ended.exitCode !== 0) throw damaged(clip, ended.timedOut ? 'timeout' : ended.stderrTail)
  return isProven ? [...keyFrames] : []
}

function unreadable(clip: InspectedClip, failure: string): FarmError {
  const size = /Picture size (\d+)x(\d+) exceeds/.exec(failure)
  if (size) return tooLarge(clip, { width: Number(size[1]), height: Number(size[2]) })
  if (!failure.startsWith(noPictures)) return damaged(clip, failure)
  const rule = 'The clip must hold a track of moving pictures'
  return new FarmError(
    'media_invalid',
    `${rule}. Got a ${clip.format} without one that can be read.`,
    {
      field: clip.field,
      cause: failure,
    },
  )
}

function damaged({ field, format }: InspectedClip, cause: string): FarmError {
  const rule = 'The clip must be whole, undamaged and of a kind that can be decoded'
  return new FarmError('media_invalid', `${rule}. Got a damaged or unknown ${format}.`, {
    field,
    cause,
  })
}
