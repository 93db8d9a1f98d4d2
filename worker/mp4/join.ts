import { type FileHandle, open } from 'node:fs/promises'
import { audioSampleRate } from '../../core/plan/plan.ts'
import { boxes, child, descend, trackOf } from '../../runtime/mp4/boxes.ts'
import { delayOf, readSampleTable, type SampleTable } from '../../runtime/mp4/sample-table.ts'
import { box, descriptionOfAll, fullBox, rebuilt, withNumber } from '../../runtime/mp4/write.ts'
import { ticksPerFrame } from '../encode/container.ts'
import { readMoov } from './movie-box.ts'

/**
 * Joins segments into an mp4 by copying their samples. ffmpeg could do the same behind a fence,
 * whose start costs more than joining most films; here a segment is only copied, never decoded.
 */

export type JoinedMp4 = {
  /** Files in the film's order: each an mp4 whose clock ticks once a frame. */
  readonly segments: readonly string[]
  /** An mp4 that holds the film's sound, as long as its pictures. */
  readonly sound?: string
  readonly frameRate: number
  readonly title: string
}

/**
 * Interval at which pictures and sound alternate in the file, so that a player reads on from one
 * place.
 */
const turnSeconds = 0.5

/** Writes the film to `output`, with its index at the beginning. */
export async function joinMp4(film: JoinedMp4, output: string): Promise<void> {
  const files = new Map<string, SourceFile>()
  for (const file of new Set(film.segments)) files.set(file, await readSource(file, 'vide'))
  const segments = film.segments.flatMap((file) => files.get(file) ?? [])
  const [first] = segments
  if (!first) throw new Error('A film must have a segment. Got none')
  const pictures = pictureTrack(segments, { like: first.track, frameRate: film.frameRate })
  const sound = film.sound === undefined ? undefined : await readSource(film.sound, 'soun')
  const tracks = sound ? [pictures, soundTrack(sound, film.frameRate)] : [pictures]
  const header = child(first.moov, 'mvhd')
  const chunks = interleaved(tracks)
  const bytes = chunks.reduce((sum, chunk) => sum + bytesOf(chunk), 0)
  const head = (dataAt: number) => {
    const moov = movieBox({ header, tracks, chunks, dataAt, title: film.title })
    return Buffer.concat([box('ftyp', fileKind), moov, dataHeader(bytes)])
  }
  // Its length does not depend on where the data begins.
  const opening = head(head(0).length)
  const target = await open(output, 'w')
  try {
    await target.write(opening)
    await copyChunks(chunks, target)
  } finally {
    await target.close()
  }
}

/** isom, and the brands that ffmpeg gives an mp4 of H.264. */
const fileKind = Buffer.from('isom\0\0\u0002\0isomiso2avc1mp41', 'latin1')

/** Track of a file, and the places of its samples. */
type SourceFile = {
  readonly file: string
  readonly moov: Buffer
  readonly track: Buffer
  readonly table: SampleTable
}

async function readSource(file: string, handler: 'vide' | 'soun'): Promise<SourceFile> {
  const handle = await open(file)
  try {
    const { moov } = await readMoov(handle)
    const track = trackOf(moov, handler)
    const table = readSampleTable(track)
    assertInside(table, (await handle.stat()).size)
    return { file, moov, track, table }
  } finally {
    await handle.close()
  }
}

/**
 * Checks that samples lie inside the file, each once: a malicious file must not make a film larger
 * than all its files.
 */
function assertInside({ sizes, positions }: SampleTable, fileBytes: number): void {
  let bytes = 0
  for (const [i, size] of sizes.entries()) {
    bytes += size
    if ((positions[i] ?? 0) + size > fileBytes || bytes > fileBytes) {
      throw new Error(
        `The samples of a segment must lie in its ${fileBytes} B. Sample ${i} does not`,
      )
    }
  }
}

/** Byte range of one file, `from` .. `to` (exclusive). */
type Stretch = { readonly file: string; from: number; to: number }

/** Samples of one track that are adjacent in the film. */
type Chunk = { readonly track: FilmTrack; readonly samples: number; readonly stretches: Stretch[] }

type FilmTrack = {
  /** Its samples in turns of `turnSeconds`. */
  readonly turns: readonly { readonly samples: number; readonly stretches: Stretch[] }[]
  /** Returns the track's box for the places of its chunks. */
  readonly box: (places: ChunkPlaces) => Buffer
}

type ChunkPlaces = { readonly at: readonly number[]; readonly samples: readonly number[] }

function pictureTrack(
  segments: readonly SourceFile[],
  { like, frameRate }: { like: Buffer; frameRate: number },
): FilmTrack {
  const samples: (Placed & { isKey: boolean; frame: number })[] = []
  for (const { file, table } of segments) {
    const before = samples.length
    for (const [i, size] of table.sizes.entries()) {
      const from = table.positions[i] ?? 0
      const frame = before + (table.frames[i] ?? 0)
      samples.push({ file, from, size, isKey: table.keys[i] ?? false, frame })
    }
  }
  const count = samples.length
  // All frames are delayed by this much, and the edit list undoes it.
  const delay = delayOf({ frames: samples.map(({ frame }) => frame) })
  const keys = samples.flatMap(({ isKey }, i) => (isKey ? [i + 1] : []))
  const shifts = runLengths(samples.map(({ frame }, i) => (frame + delay - i) * ticksPerFrame))
  const times = [
    box('stts', fullBox([1, count, ticksPerFrame])),
    ...(keys.length < count ? [box('stss', fullBox([keys.length, ...keys]))] : []),
    ...(delay > 0 ? [box('ctts', fullBox([shifts.length / 2, ...shifts]))] : []),
  ]
  const turn = Math.ceil(frameRate * turnSeconds)
  const stsd = descriptionOfAll(descend(like, ['mdia', 'minf', 'stbl', 'stsd']))
  return {
    turns: turnsOf(samples, (i) => Math.floor(i / turn)),
    box: (places) =>
      trackBox(like, {
        ...{ id: 1, seconds: count / frameRate, hiddenTicks: delay * ticksPerFrame },
        ...{ clock: frameRate * ticksPerFrame, ticks: count * ticksPerFrame },
        ...{ stsd, sizes: samples.map(({ size }) => size), times, more: [], places },
      }),
  }
}

function soundTrack({ file, track, table }: SourceFile, frameRate: number): FilmTrack {
  const header = descend(track, ['mdia', 'mdhd'])
  const [clock, ticks] = [header.readUInt32BE(12), header.readUInt32BE(16)]
  const stbl = descend(track, ['mdia', 'minf', 'stbl'])
  // Start of the film in the track, from an edit list of version 0.
  const hiddenTicks = descend(track, ['edts', 'elst']).readUInt32BE(12)
  const begins = beginsOf(child(stbl, 'stts'), table.sizes.length)
  const turn = Math.ceil(frameRate * turnSeconds) / frameRate
  const samples = table.sizes.map((size, i) => ({ file, size, from: table.positions[i] ?? 0 }))
  // Groups of the encoder: number of packets that a player decodes before the one to play.
  const more = [...boxes(stbl)].filter(({ name }) => name === 'sgpd' || name === 'sbgp')
  return {
    turns: turnsOf(samples, (i) =>
      Math.floor(Math.max(0, (begins[i] ?? 0) - hiddenTicks) / clock / turn),
    ),
    box: (places) =>
      trackBox(track, {
        ...{ id: 2, seconds: (ticks - hiddenTicks) / clock, hiddenTicks, clock, ticks },
        ...{ stsd: child(stbl, 'stsd'), sizes: table.sizes, places },
        times: [box('stts', child(stbl, 'stts'))],
        more: more.map(({ name, content }) => box(name, content)),
      }),
  }
}

/** Returns when each sample begins, in the track's ticks. */
function beginsOf(stts: Buffer, count: number): number[] {
  const begins: number[] = []
  let at = 0
  for (let entry = 8; entry + 8 <= stts.length; entry += 8) {
    const lasts = stts.readUInt32BE(entry + 4)
    for (let left = stts.readUInt32BE(entry); left > 0 && begins.length < count; left -= 1) {
      begins.push(at)
      at += lasts
    }
  }
  return begins
}

type Placed = { readonly file: string; readonly from: number; readonly size: number }

/** Groups samples by turn. `turnAt`: the turn of a sample; never decreasing. */
function turnsOf(samples: readonly Placed[], turnAt: (index: number) => number) {
  const turns: { samples: number; stretches: Stretch[] }[] = []
  for (const [i, { file, from, size }] of samples.entries()) {
    const turn = turns[turnAt(i)] ?? { samples: 0, stretches: [] }
    turns[turnAt(i)] = turn
    const last = turn.stretches.at(-1)
    if (last?.file === file && last.to === from) last.to += size
    else turn.stretches.push({ file, from, to: from + size })
    turn.samples += 1
  }
  return turns
}

/** Interleaves the tracks: first the pictures of a turn, then its sound. */
function interleaved(tracks: readonly FilmTrack[]): Chunk[] {
  const count = Math.max(...tracks.map(({ turns }) => turns.length))
  return Array.from({ length: count }, (_, i) => i).flatMap((i) =>
    tracks.flatMap((track) => (track.turns[i] ? [{ track, ...track.turns[i] }] : [])),
  )
}

const bytesOf = ({ stretches }: Chunk) =>
  stretches.reduce((sum, { from, to }) => sum + to - from, 0)

/** Returns the film's moov. `header`: the mvhd of a segment. */
function movieBox({
  header,
  tracks,
  chunks,
  dataAt,
  title,
}: {
  header: Buffer
  tracks: readonly FilmTrack[]
  chunks: readonly Chunk[]
  dataAt: number
  title: string
}): Buffer {
  const ends: number[] = []
  for (const chunk of chunks) ends.push((ends.at(-1) ?? dataAt) + bytesOf(chunk))
  const made = tracks.map((track) => {
    const own = chunks.flatMap((chunk, i) => (chunk.track === track ? [i] : []))
    return track.box({
      at: own.map((i) => ends[i - 1] ?? dataAt),
      samples: own.map((i) => chunks[i]?.samples ?? 0),
    })
  })
  const lasts = Math.max(...made.map(movieTicksOf))
  const clocked = withNumber(withNumber(header, 12, audioSampleRate), 16, lasts)
  const numbered = withNumber(clocked, 96, tracks.length + 1)
  return box('moov', box('mvhd', numbered), ...made, ...titleBoxes(title))
}

const movieTicksOf = (track: Buffer) => descend(track, ['trak', 'tkhd']).readUInt32BE(20)

/** Returns a track like its file's, with another place, times and samples. */
function trackBox(
  source: Buffer,
  {
    id,
    seconds,
    hiddenTicks,
    clock,
    ticks,
    stsd,
    sizes,
    times,
    more,
    places,
  }: {
    id: number
    seconds: number
    /** Ticks at the track's beginning that are not shown or heard. */
    hiddenTicks: number
    clock: number
    ticks: number
    stsd: Buffer
    sizes: readonly number[]
    times: readonly Buffer[]
    more: readonly Buffer[]
    places: ChunkPlaces
  },
): Buffer {
  const lasts = Math.round(seconds * audioSampleRate)
  const table = [
    box('stsc', fullBox(chunkRuns(places.samples))),
    box('stsz', fullBox([0, sizes.length, ...sizes])),
    positionBox(places.at),
  ]
  const media = rebuilt(child(source, 'mdia'), (name, content) => {
    switch (name) {
      case 'mdhd':
        return withNumber(withNumber(content, 12, clock), 16, ticks)
      case 'stbl':
        return Buffer.concat([box('stsd', stsd), ...times, ...table, ...more])
      default:
        return content
    }
  })
  const header = withNumber(withNumber(child(source, 'tkhd'), 12, id), 20, lasts)
  const edits = box('edts', box('elst', fullBox([1, lasts, hiddenTicks, 0x1_0000])))
  return box('trak', box('tkhd', header), edits, box('mdia', media))
}

/** Returns the stsc entries: first chunk, samples per chunk, description. */
function chunkRuns(samples: readonly number[]): number[] {
  const changes = samples.flatMap((count, i) => (count === samples[i - 1] ? [] : [i + 1, count, 1]))
  return [changes.length / 3, ...changes]
}

const largest32 = 2 ** 32 - 1

function positionBox(at: readonly number[]): Buffer {
  if ((at.at(-1) ?? 0) <= largest32) return box('stco', fullBox([at.length, ...at]))
  const halves = at.flatMap((each) => [Math.floor(each / 2 ** 32), each % 2 ** 32])
  return box('co64', fullBox([at.length, ...halves]))
}

/** Returns run lengths: for each run the count and the value. */
function runLengths(values: readonly number[]): number[] {
  const runs: number[] = []
  for (const [i, value] of values.entries()) {
    if (i > 0 && value === values[i - 1]) runs[runs.length - 2] = (runs.at(-2) ?? 0) + 1
    else runs.push(1, value)
  }
  return runs
}

/** Returns the header of the box that holds the samples. */
function dataHeader(bytes: number): Buffer {
  const short = bytes + 8 <= largest32
  const head = Buffer.alloc(short ? 8 : 16)
  head.writeUInt32BE(short ? bytes + 8 : 1)
  head.write('mdat', 4, 'latin1')
  if (!short) head.writeBigUInt64BE(BigInt(bytes + 16), 8)
  return head
}

/** Returns the title as mp4 players expect it: iTunes' list, UTF-8. */
function titleBoxes(title: string): Buffer[] {
  if (title === '') return []
  const text = Buffer.concat([fullBox([0]), Buffer.from(title)])
  text.writeUInt32BE(1)
  const handler = fullBox([0, 0, 0, 0, 0, 0])
  handler.write('mdirappl', 8, 'latin1')
  const list = box('ilst', box('\u00a9nam', box('data', text)))
  return [box('udta', box('meta', fullBox([]), box('hdlr', handler.subarray(0, 25)), list))]
}

/** Bytes per read and write. */
const copyBytes = 2 ** 20

async function copyChunks(chunks: readonly Chunk[], target: FileHandle): Promise<void> {
  let waiting: Buffer[] = []
  let bytes = 0
  const flush = async () => {
    if (waiting.length > 0) await target.writev(waiting)
    waiting = []
    bytes = 0
  }
  const sources = new Map<string, FileHandle>()
  try {
    for (const { file, from, to } of chunks.flatMap(({ stretches }) => stretches)) {
      const source = sources.get(file) ?? (await open(file))
      sources.set(file, source)
      for (let at = from; at < to; at += copyBytes) {
        const part = Buffer.allocUnsafe(Math.min(copyBytes, to - at))
        const { bytesRead } = await source.read(part, 0, part.length, at)
        if (bytesRead < part.length)
          throw new Error(`A segment must be as long as it was. ${file} is not`)
        waiting.push(part)
        bytes += part.length
        if (bytes >= copyBytes) await flush()
      }
    }
    await flush()
  } finally {
    await Promise.all([...sources.values()].map((source) => source.close()))
  }
}
