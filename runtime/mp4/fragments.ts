import { boxes, child, descend } from './boxes.ts'
import { box, fullBox, rebuilt, withNumber } from './write.ts'

/** Writes a track as a player gets it piece by piece: movie fragments (ISO 14496-12, 8.8). */

export type FragmentSample = {
  readonly size: number
  /** Ticks until the next sample is decoded. */
  readonly ticks: number
  /** Ticks from decoding to showing; may be negative. */
  readonly shift: number
  readonly isKey: boolean
}

const kind = Buffer.from('iso6\0\0\0\0iso6mp41', 'latin1')

/**
 * Returns the beginning of a track's fragments, made of a file with the same codec. `clock`: ticks a
 * second.
 */
export function initOf(
  { moov, track, stsd }: { moov: Buffer; track: Buffer; stsd: Buffer },
  clock: number,
): Buffer {
  const empty = [
    ...[box('stts', fullBox([0])), box('stsc', fullBox([0]))],
    ...[box('stsz', fullBox([0, 0])), box('stco', fullBox([0]))],
  ]
  const media = rebuilt(child(track, 'mdia'), (name, content) => {
    switch (name) {
      case 'mdhd':
        return withNumber(withNumber(content, 12, clock), 16, 0)
      case 'stbl':
        return Buffer.concat([box('stsd', stsd), ...empty])
      default:
        return content
    }
  })
  const header = withNumber(withNumber(child(track, 'tkhd'), 12, 1), 20, 0)
  const movie = [
    [12, clock],
    [16, 0],
    [96, 2],
  ].reduce((box, [at = 0, number = 0]) => withNumber(box, at, number), child(moov, 'mvhd'))
  return Buffer.concat([
    box('ftyp', kind),
    box(
      'moov',
      box('mvhd', movie),
      box('trak', box('tkhd', header), box('mdia', media)),
      box('mvex', box('trex', fullBox([1, 1, 0, 0, 0]))),
    ),
  ])
}

const flags = {
  baseIsFragment: 0x02_0000,
  /** Data offset, and for each sample: duration, size, flags, composition offset. */
  run: 0x0f01,
  keySample: 0x0200_0000,
  otherSample: 0x0101_0000,
}

/** Returns a fragment. `begin`: decode time of its first sample, ticks. */
export function fragmentOf({
  number,
  begin,
  samples,
  data,
}: {
  /** From 1. */
  number: number
  begin: number
  samples: readonly FragmentSample[]
  data: readonly Buffer[]
}): Buffer {
  const rows = samples.flatMap(({ ticks, size, isKey, shift }) => [
    ...[ticks, size, isKey ? flags.keySample : flags.otherSample],
    shift >>> 0,
  ])
  const moof = (dataAt: number) =>
    box(
      'moof',
      box('mfhd', fullBox([number])),
      box(
        'traf',
        box('tfhd', fullBox([1], { flags: flags.baseIsFragment })),
        box('tfdt', fullBox([Math.floor(begin / 2 ** 32), begin % 2 ** 32], { version: 1 })),
        box('trun', fullBox([samples.length, dataAt, ...rows], { version: 1, flags: flags.run })),
      ),
    )
  return Buffer.concat([moof(moof(0).length + 8), box('mdat', ...data)])
}

/** Returns the decode time of each sample of a track, and the end of the last one, ticks. */
export function decodeTimes(track: Buffer, count: number): number[] {
  const stts = descend(track, ['mdia', 'minf', 'stbl', 'stts'])
  const times = [0]
  let lasts = 0
  for (let entry = 8; entry + 8 <= stts.length; entry += 8) {
    lasts = stts.readUInt32BE(entry + 4)
    for (let left = stts.readUInt32BE(entry); left > 0 && times.length <= count; left -= 1) {
      times.push((times.at(-1) ?? 0) + lasts)
    }
  }
  return times
}

/** Returns the ticks at a track's beginning that its edit list hides. */
export function hiddenTicks(track: Buffer): number {
  const edits = [...boxes(track)].find(({ name }) => name === 'edts')
  return edits ? child(edits.content, 'elst').readUInt32BE(12) : 0
}
