import { readFileSync } from 'node:fs'
import test from 'ava'
import { sliceFacts, streamFacts } from '../../../worker/still-frames/parameter-sets.ts'
import { repeatPicture } from '../../../worker/still-frames/repeat-picture.ts'

/** Bytes as hex. */
type Vector = {
  readonly stream: string
  readonly avcC: string
  readonly shown: string
  readonly decoded: string
  readonly repeated: readonly string[]
}

const file = new URL('../../../worker/still-frames/vectors.json', import.meta.url)
const vectors: readonly Vector[] = JSON.parse(readFileSync(file, 'utf8'))

for (const { stream: name, avcC, shown, decoded, repeated } of vectors) {
  test(`repeated pictures have the bytes of their vector: ${name}`, (t) => {
    const stream = streamFacts(Buffer.from(avcC, 'hex'))
    const facts = (sample: string) => sliceFacts(Buffer.from(sample, 'hex'), stream)
    const pictures = { shown: facts(shown), decoded: facts(decoded) }
    const samples = repeatPicture(pictures, { count: repeated.length, stream })
    t.deepEqual(
      samples.map((sample) => sample.toString('hex')),
      repeated,
    )
  })
}
