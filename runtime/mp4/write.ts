import { boxes } from './boxes.ts'

/** Creates and changes boxes of ISO 14496-12. */

export function box(name: string, ...contents: readonly Buffer[]): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(contents.reduce((sum, { length }) => sum + length, 8))
  head.write(name, 4, 'latin1')
  return Buffer.concat([head, ...contents])
}

/** Returns version 0, no flags, then numbers of 32 bits. */
export function fullBox(numbers: readonly number[]): Buffer {
  const content = Buffer.alloc(4 + numbers.length * 4)
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
