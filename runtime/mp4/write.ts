import { boxes, entryHeaderBytes } from './boxes.ts'

/** Creates and changes boxes of ISO 14496-12. */

export function box(name: string, ...contents: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(contents.reduce((sum, { length }) => sum + length, 8))
  head.write(name, 4, 'latin1')
  return Buffer.concat([head, ...contents])
}

/** Returns version and flags, then numbers of 32 bits. */
export function fullBox(
  numbers: readonly number[],
  { version = 0, flags = 0 }: { version?: number; flags?: number } = {},
): Buffer {
  const content = Buffer.alloc(4 + numbers.length * 4)
  content.writeUInt32BE(version * 2 ** 24 + flags)
  for (const [i, number] of numbers.entries()) content.writeUInt32BE(number, 4 + i * 4)
  return content
}

export function withNumber(content: Buffer, at: number, number: number): Buffer {
  const changed = Buffer.from(content)
  changed.writeUInt32BE(number, at)
  return changed
}

const containers = new Set(['trak', 'edts', 'mdia', 'minf'])

/** Rebuilds the inner boxes, each with the content that `change` returns. */
export function rebuilt(
  content: Buffer,
  change: (name: string, content: Buffer) => Buffer,
): Buffer {
  return Buffer.concat(
    [...boxes(content)].map((each) => {
      const inner = containers.has(each.name) ? rebuilt(each.content, change) : each.content
      return box(each.name, change(each.name, inner))
    }),
  )
}

const encoderNameAt = 42
const encoderNameBytes = 32

/**
 * Returns a segment's description of its pictures without what is specific to it: its bit rate and
 * its encoder's name.
 */
export function descriptionOfAll(stsd: Buffer): Buffer {
  const [entry] = boxes(stsd.subarray(8))
  if (!entry) throw new Error('A segment must say how its pictures are coded. It does not')
  const about = Buffer.from(entry.content.subarray(0, entryHeaderBytes))
  about.fill(0, encoderNameAt, encoderNameAt + encoderNameBytes)
  const inner = [...boxes(entry.content.subarray(entryHeaderBytes))]
    .filter(({ name }) => name !== 'btrt')
    .map(({ name, content }) => box(name, content))
  return Buffer.concat([stsd.subarray(0, 8), box(entry.name, about, ...inner)])
}
