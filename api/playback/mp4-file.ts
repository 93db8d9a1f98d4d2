import { child } from '../../runtime/mp4/boxes.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import { type PicturesTrack, readPictures, readSound, type SoundTrack } from './mp4-tracks.ts'

type Place = { readonly at: number; readonly size: number }

/** An mp4 in the store: its index in memory, its samples read where they are needed. */
export type Mp4File = {
  readonly moov: Buffer
  /** Memory that it takes with the tables of its tracks, about. */
  readonly bytes: number
  /** Both tracks are parsed once, when they are first needed. */
  readonly pictures: () => PicturesTrack
  readonly sound: () => SoundTrack
  /** Reads samples by one request. */
  readSamples(places: readonly Place[]): Promise<Buffer[]>
}

/** Bytes of a track's tables for each byte of the index. */
const parsedShare = 8

function mp4Of(
  { moov, held }: { moov: Buffer; held: number },
  readSamples: Mp4File['readSamples'],
): Mp4File {
  return {
    ...{ moov, readSamples, bytes: held + moov.length * parsedShare },
    pictures: once(() => readPictures(moov)),
    sound: once(() => readSound(moov)),
  }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

/** Reads a small file whole. */
export async function openSmallMp4(
  objects: Pick<ObjectStore, 'read'>,
  key: string,
): Promise<Mp4File> {
  const bytes = await objects.read(key)
  const file = { moov: child(bytes, 'moov'), held: bytes.length }
  return mp4Of(file, async (places) => places.map((place) => cutOut(bytes, place)))
}

const headerBytes = 16
/** Longest index of a film, bytes. */
const longestMoov = 64 * 2 ** 20
const boxesMax = 100

/** Reads the index of a file of any length. */
export async function openLargeMp4(
  objects: Pick<ObjectStore, 'readRange'>,
  key: string,
): Promise<Mp4File> {
  const moov = await readMoov(objects, key)
  return mp4Of({ moov, held: moov.length }, async (places) => {
    if (places.length === 0) return []
    const from = Math.min(...places.map(({ at }) => at))
    const to = Math.max(...places.map(({ at, size }) => at + size))
    const bytes = await objects.readRange(key, { from, bytes: to - from })
    return places.map(({ at, size }) => cutOut(bytes, { at: at - from, size }))
  })
}

async function readMoov(objects: Pick<ObjectStore, 'readRange'>, key: string): Promise<Buffer> {
  let at = 0
  for (let step = 0; step < boxesMax; step += 1) {
    const head = await objects.readRange(key, { from: at, bytes: headerBytes })
    if (head.length < headerBytes) break
    const short = head.readUInt32BE(0)
    const size = short === 1 ? Number(head.readBigUInt64BE(8)) : short
    if (head.toString('latin1', 4, 8) === 'moov' && size <= longestMoov) {
      return await objects.readRange(key, { from: at + 8, bytes: size - 8 })
    }
    if (size < 8) break
    at += size
  }
  throw new Error('A film must have a box moov. It has none')
}

function cutOut(bytes: Buffer, { at, size }: Place): Buffer {
  if (at < 0 || at + size > bytes.length) throw new Error('A sample must lie in its file')
  return bytes.subarray(at, at + size)
}
