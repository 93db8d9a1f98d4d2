import { type FileHandle, open, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type AudioClip, audioSampleRate } from '../../core/plan/plan.ts'
import { scratchFolder } from '../scratch.ts'
import { isPlainAac, packetSamples, plainAacDescription } from './aac.ts'
import { boxes, child, descend, readMoov, trackOf } from './mp4-boxes.ts'
import { box, fullBox, withNumber } from './mp4-write.ts'
import { readSampleTable } from './sample-table.ts'

/**
 * A film whose whole sound is one stretch of one source, as loud as it is there, can have the source's own packets
 * when they are what the farm would encode: then nothing is decoded, mixed or encoded, and nothing is lost by it.
 */

/** The farm encodes 192 kbit/s; a source that takes more than a little more is encoded anew. */
const bitRateMost = 200_000
/** Before the first packet that is heard stands one that its first half is made with. */
const leadPackets = 1

export type PlainSound = {
  readonly clip: AudioClip
  /** An mp4 that a stranger sent and that was decoded whole when it came. */
  readonly file: string
  /** Of the film. */
  readonly samples: number
}

/**
 * Writes what the film plays of the source as `out/sound`, like `encodeSound`, when that can be copied. What is odd
 * about a source is left to those who decode it.
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
  /** Byte of the file at which each begins. */
  readonly positions: readonly number[]
  /** Samples at their beginning that nobody is to hear. */
  readonly hidden: number
}

/** The packets that hold what is heard; undefined when they are not as the film's would be. */
async function packetsOf(
  source: FileHandle,
  { clip, samples }: PlainSound,
): Promise<Packets | undefined> {
  const { moov } = await readMoov(source)
  // Apple's other way of saying where a sound begins.
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

/** Where in the track its sound begins and how long it is, in samples: by an edit list of one simple edit. */
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

/** Whether the track counts samples at 48 kHz, and every packet but the last has all of its own. */
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
    // Those that lie side by side are read together.
    for (; i < sizes.length && positions[i] === from + length; i += 1) length += sizes[i] ?? 0
    await source.read(data, to, length, from)
    to += length
  }
  return data
}

/** As the farm's encoder leaves it: one track, whose edit list hides what stands before the sound. */
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
/** The matrix of pictures that are not turned; sound has it too. */
const unchanged = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000]
/** Flags of a track: it is on, and part of the film. */
const shown = 3
/** The language "und", five bits a letter. */
const undetermined = 0x55c4

const word = (letters: string) => Buffer.from(letters, 'latin1').readUInt32BE()

const dataIsHere = box(
  'dinf',
  box('dref', fullBox([1]), box('url ', withNumber(fullBox([]), 0, 1))),
)

/** A player that begins in the middle decodes one packet more, before it: a roll of -1 for all. */
function startingBoxes(count: number): Buffer[] {
  const roll = Buffer.from([1, 0, 0, 0, ...Buffer.from('roll'), 0, 0, 0, 2, 0, 0, 0, 1, 0xff, 0xff])
  return [box('sgpd', roll), box('sbgp', fullBox([word('roll'), 1, count, 1]))]
}
