import { type FileHandle, open } from 'node:fs/promises'
import { readAt } from '../../runtime/media/sniff.ts'

/**
 * Checks an mp4's tables without decoding (ISO/IEC 14496-12). ffmpeg writes an index of 24 bytes
 * for each claimed sample: a file of 100 kB that claims 20 million takes 670 MB before the first is
 * read.
 */

/** Limit of 4 hours at 120 frames a second, with their sound. */
const samplesMax = 3_000_000
/** Size of the tables of that many samples. */
const tablesMaxBytes = 96 * 2 ** 20
const boxesMax = 100_000
/** Small boxes are read many at a time. */
const pageBytes = 4096

const containers = new Set([
  ...['moov', 'trak', 'mdia', 'minf', 'stbl', 'edts', 'mvex', 'moof', 'traf'],
])

/** Structure of an mp4. */
export type Mp4Structure = {
  /** Fault in its boxes and tables, as "… this one FAULT"; undefined = none. */
  readonly fault: string | undefined
  /** The last box claims more than the file holds. */
  readonly isCut: boolean
  /** Each fragment has tables of its own, so that none tells of samples after a cut. */
  readonly isFragmented: boolean
}

export async function readMp4Structure(file: string): Promise<Mp4Structure> {
  const handle = await open(file)
  try {
    const { size: fileBytes } = await handle.stat()
    const claims: Claims = { samples: 0, fileBytes }
    let tableBytes = 0
    let boxes = 0
    let [isCut, isFragmented] = [false, false]
    const found = (fault?: string) => ({ fault, isCut, isFragmented })
    for await (const { at, box } of topBoxes(handle, fileBytes)) {
      if (boxes > boxesMax) return found('has too many parts')
      if (!box) return found('is damaged')
      if (box.type === 'moov' || box.type === 'moof') {
        tableBytes += box.length
        if (tableBytes > tablesMaxBytes) return found('has too large tables')
        const bytes = await readAt(handle, { position: at, length: box.length })
        const fault = faultIn(bytes.subarray(box.head), claims, 0)
        if (fault) return found(fault)
      }
      isFragmented ||= box.type === 'moof'
      isCut = box.isCut
      boxes += 1
    }
    return found()
  } finally {
    await handle.close()
  }
}

/**
 * Returns the byte at which the tables of a fragment begin that is cut within them: ffmpeg refuses
 * the file for them. Reads the headers of the file's boxes and no table.
 */
export async function partialTablesAt(file: string): Promise<number | undefined> {
  const handle = await open(file)
  try {
    const { size: fileBytes } = await handle.stat()
    for await (const { at, box } of topBoxes(handle, fileBytes)) {
      if (box?.isCut && box.type === 'moof') return at
    }
    return undefined
  } finally {
    await handle.close()
  }
}

/** Yields the boxes of a file with their places, the last one undefined where no box can begin. */
async function* topBoxes(
  handle: FileHandle,
  fileBytes: number,
): AsyncGenerator<{ readonly at: number; readonly box: BoxHeader | undefined }> {
  let page = { at: 0, bytes: Buffer.from('') as Buffer }
  for (let [at, boxes] = [0, 0]; at + 8 <= fileBytes && boxes <= boxesMax + 1; boxes += 1) {
    const isIn = at + 16 <= page.at + page.bytes.length
    if (!isIn) page = { at, bytes: await readAt(handle, { position: at, length: pageBytes }) }
    const box = boxOf(page.bytes.subarray(at - page.at, at - page.at + 16), fileBytes - at)
    yield { at, box }
    if (!box) return
    at += box.length
  }
}

/** Totals that the tables claim so far. */
type Claims = { samples: number; readonly fileBytes: number }

type BoxHeader = {
  readonly type: string
  readonly head: number
  readonly length: number
  /** It claims more than the room that there is. */
  readonly isCut: boolean
}

/**
 * Reads a box header. Undefined if no box can begin here. A box that exceeds `room` is cut there.
 */
function boxOf(bytes: Buffer, room: number): BoxHeader | undefined {
  const type = bytes.toString('latin1', 4, 8)
  const short = bytes.readUInt32BE(0)
  const isLong = short === 1 && bytes.length >= 16
  const length = isLong ? Number(bytes.readBigUInt64BE(8)) : short === 0 ? room : short
  const head = isLong ? 16 : 8
  if (length < head) return undefined
  return { type, head, length: Math.min(length, room), isCut: length > room }
}

const depthMax = 8

function faultIn(bytes: Buffer, claims: Claims, depth: number): string | undefined {
  if (depth > depthMax) return 'is nested too deep'
  const tables = new Map<string, Buffer>()
  for (let at = 0; at + 8 <= bytes.length; ) {
    const box = boxOf(bytes.subarray(at, at + 16), bytes.length - at)
    if (!box) return undefined
    const inside = bytes.subarray(at + box.head, at + box.length)
    if (containers.has(box.type)) {
      const fault = faultIn(inside, claims, depth + 1)
      if (fault) return fault
    } else if (box.type === 'trun' && inside.length >= 8) {
      claims.samples += inside.readUInt32BE(4)
    } else if (box.type === 'elst' && inside.length >= 8 && inside.readUInt32BE(4) > editsMax) {
      return 'has too many edits'
    } else tables.set(box.type, inside)
    at += box.length
  }
  return countSamples(tables, claims)
}

/** ffmpeg's index repeats the samples for each edit that shows them. */
const editsMax = 32

function countSamples(tables: ReadonlyMap<string, Buffer>, claims: Claims): string | undefined {
  const [sizes, times] = [tables.get('stsz'), tables.get('stts')]
  if (sizes && sizes.length >= 12) {
    const [size, count] = [sizes.readUInt32BE(4), sizes.readUInt32BE(8)]
    if (size * count > claims.fileBytes || (size === 0 && count * 4 > sizes.length)) {
      return 'claims more than it holds'
    }
    // Uncompressed sound has a sample for each moment, and an index entry for each chunk only.
    const isPlain = times && times.length >= 16 && times.readUInt32BE(4) === 1
    if (!isPlain || times.readUInt32BE(12) !== 1) claims.samples += count
  }
  return claims.samples > samplesMax ? 'claims too many samples' : undefined
}
