import { type FileHandle, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AudioClip, audioSampleRate } from '../../core/plan/plan.ts'
import { isPlainAac, packetSamples, plainAacDescription } from '../../runtime/mp4/aac.ts'
import { boxes, child, descend, trackOf } from '../../runtime/mp4/boxes.ts'
import { readSampleTable } from '../../runtime/mp4/sample-table.ts'
import { box, fullBox, withNumber } from '../../runtime/mp4/write.ts'
import { scratchFolder } from '../files/scratch.ts'
import { readMoov } from '../mp4/movie-box.ts'

/**
 * Copies a source's own packets when a film's whole sound is one stretch of one source at its own
 * volume, in the farm's own encoding. That skips decoding, mixing and encoding, and loses nothing.
 */

/** The farm encodes 192 kbit/s; a source well above that is encoded anew. */
const bitRateMost = 200_000
/** The decoder needs one packet before the first audible one, whose first half depends on it. */
const leadPackets = 1

export type PlainSound = {
  readonly clip: AudioClip
  /** An mp4 from a stranger, which was decoded completely at ingest. */
  readonly file: string
  /** Length of the film. */
  readonly samples: number
}

/**
 * Writes the film's part of the source as `out/sound`, like `encodeSound`, when it can be copied.
 * Unusual sources are left to decoding.
 * @param dir scratch directory of the task
 * @returns the file; undefined when the sound is to be encoded
 */
export async function copySound(sound: PlainSound, dir: string): Promise<string | undefined> {
  const { clip, file, samples } = sound
  if (!isPlain(clip, samples)) return undefined
  const source = await open(file)
  try {
    const packets = await packetsOf(source, sound).catch(() => undefined)
    if (packets === undefined) return undefined
    const data = await readPackets(source, packets)
    const target = join(await scratchFolder(dir, 'out'), 'sound')
    await writeSound(target, { ...packets, data, samples })
    return target
  } finally {
    await source.close()
  }
}

function isPlain({ at, length, volume, speed, fades }: AudioClip, samples: number): boolean {
  return at === 0 && length === samples && volume === 1 && speed === 1 && fades.length === 0
}

type Packets = {
  readonly sizes: readonly number[]
  /** Byte offset of each packet in the file. */
  readonly positions: readonly number[]
  /** Inaudible samples at their beginning. */
  readonly hidden: number
}

/** Returns the packets of the audible part; undefined when they differ from the film's own kind. */
async function packetsOf(
  source: FileHandle,
  { clip, samples }: PlainSound,
): Promise<Packets | undefined> {
  const { moov } = await readMoov(source)
  // Apple's other way to record the start of the sound.
  if (moov.includes('iTunSMPB') || [...boxes(moov)].some(({ name }) => name === 'mvex')) return
  const track = trackOf(moov, 'soun')
  const stbl = descend(track, ['mdia', 'minf', 'stbl'])
  if (!isPlainAac(child(stbl, 'stsd'))) return
  const table = readSampleTable(track)
  const begin = beginOf(moov, track)
  if (begin === undefined || !isEven(track, table.sizes.length)) return
  const from = begin.at + clip.from
  const last = Math.ceil((from + samples) / packetSamples)
  const first = Math.max(0, Math.floor(from / packetSamples) - leadPackets)
  if (clip.from + samples > begin.lasts || last > table.sizes.length) return
  const sizes = table.sizes.slice(first, last)
  const positions = table.positions.slice(first, last)
  const { size: fileBytes } = await source.stat()
  const isInside = sizes.every((size, i) => size > 0 && (positions[i] ?? 0) + size <= fileBytes)
  const bits = sizes.reduce((sum, size) => sum + size, 0) * 8
  if (!isInside || bits > (bitRateMost * sizes.length * packetSamples) / audioSampleRate) return
  return { sizes, positions, hidden: from - first * packetSamples }
}

/**
 * Returns where in the track its sound begins and how long it lasts, in samples; only for an edit
 * list of one simple edit.
 */
function beginOf(moov: Buffer, track: Buffer): { at: number; lasts: number } | undefined {
  const edits = descend(track, ['edts', 'elst'])
  const [version, count] = [edits.readUInt8(0), edits.readUInt32BE(4)]
  if (version !== 0 || count !== 1) return
  const [lasts, at, rate] = [edits.readUInt32BE(8), edits.readInt32BE(12), edits.readUInt32BE(16)]
  if (at < 0 || rate !== 0x1_0000) return
  const movie = child(moov, 'mvhd')
  if (movie.readUInt8(0) !== 0) return
  const movieClock = movie.readUInt32BE(12)
  return { at, lasts: Math.round((lasts * audioSampleRate) / movieClock) }
}

/** Returns whether the track counts samples at 48 kHz, and every packet but the last is full. */
function isEven(track: Buffer, packets: number): boolean {
  const header = descend(track, ['mdia', 'mdhd'])
  if (header.readUInt8(0) !== 0 || header.readUInt32BE(12) !== audioSampleRate) return false
  const stbl = descend(track, ['mdia', 'minf', 'stbl'])
  if ([...boxes(stbl)].some(({ name }) => name === 'ctts')) return false
  const stts = child(stbl, 'stts')
  const runs = stts.readUInt32BE(4)
  if (runs !== 1 && runs !== 2) return false
  const [whole, lasts] = [stts.readUInt32BE(8), stts.readUInt32BE(12)]
  const ends = runs === 2 ? stts.readUInt32BE(16) : 0
  const endLasts = runs === 2 ? stts.readUInt32BE(20) : 0
  const isShort = ends <= 1 && endLasts <= packetSamples
  return lasts === packetSamples && whole + ends === packets && isShort
}

async function readPackets(source: FileHandle, { sizes, positions }: Packets): Promise<Buffer> {
  const data = Buffer.alloc(sizes.reduce((sum, size) => sum + size, 0))
  let to = 0
  for (let i = 0; i < sizes.length; ) {
    const from = positions[i] ?? 0
    let length = 0
    // Adjacent packets are read together.
    for (; i < sizes.length && positions[i] === from + length; i += 1) length += sizes[i] ?? 0
    await source.read(data, to, length, from)
    to += length
  }
  return data
}

/**
 * Writes the file like the farm's encoder: one track, whose edit list hides what precedes the
 * sound.
 */
async function writeSound(
  target: string,
  { sizes, hidden, data, samples }: Packets & { readonly data: Buffer; readonly samples: number },
): Promise<void> {
  const count = sizes.length
  const ticks = hidden + samples
  const bitRate = Math.round((data.length * 8 * audioSampleRate) / (count * packetSamples))
  const head = box('ftyp', Buffer.from('isom\0\0\u0002\0isomiso2mp41', 'latin1'))
  const [whole, end] = [count - 1, ticks - (count - 1) * packetSamples]
  const table = [
    plainAacDescription(bitRate),
    box('stts', whole > 0 ? fullBox([2, whole, packetSamples, 1, end]) : fullBox([1, 1, end])),
    box('stsc', fullBox([1, 1, count, 1])),
    box('stsz', fullBox([0, count, ...sizes])),
    box('stco', fullBox([1, head.length + dataHeaderBytes])),
    ...startingBoxes(count),
  ]
  const media = box(
    'mdia',
    box('mdhd', fullBox([0, 0, audioSampleRate, ticks, undetermined * 65_536])),
    box('hdlr', fullBox([0, word('soun'), 0, 0, 0]), Buffer.from('SoundHandler\0')),
    box('minf', box('smhd', fullBox([0])), dataIsHere, box('stbl', ...table)),
  )
  const edits = box('edts', box('elst', fullBox([1, samples, hidden, 0x1_0000])))
  const trackHeader = [0, 0, 1, 0, samples, 0, 0, 1, 0x100_0000, ...unchanged, 0, 0]
  const trak = box('trak', box('tkhd', withNumber(fullBox(trackHeader), 0, shown)), edits, media)
  const rates = [0x1_0000, 0x100_0000, 0, 0]
  const header = [0, 0, audioSampleRate, samples, ...rates, ...unchanged, 0, 0, 0, 0, 0, 0, 2]
  const moov = box('moov', box('mvhd', fullBox(header)), trak)
  await writeFile(target, Buffer.concat([head, box('mdat', data), moov]))
}

const dataHeaderBytes = 8
/** Identity matrix of unrotated pictures; sound tracks have it too. */
const unchanged = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000]
/** Flags of a track: enabled, and part of the film. */
const shown = 3
/** The language "und", five bits a letter. */
const undetermined = 0x55c4

const word = (letters: string) => Buffer.from(letters, 'latin1').readUInt32BE()

const dataIsHere = box(
  'dinf',
  box('dref', fullBox([1]), box('url ', withNumber(fullBox([]), 0, 1))),
)

/**
 * Recovery boxes: a player that begins in the middle decodes one packet before it, a roll of -1 for
 * all.
 */
function startingBoxes(count: number): Buffer[] {
  const roll = Buffer.from([1, 0, 0, 0, ...Buffer.from('roll'), 0, 0, 0, 2, 0, 0, 0, 1, 0xff, 0xff])
  return [box('sgpd', roll), box('sbgp', fullBox([word('roll'), 1, count, 1]))]
}
