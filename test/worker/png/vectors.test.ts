import { readFileSync } from 'node:fs'
import test from 'ava'
import { createPngs } from '../../../worker/png/index.ts'

type Vector = {
  readonly picture: string
  readonly width: number
  readonly height: number
  readonly channels: 3 | 4
  readonly pixels: string
  readonly png: string
}

const file = new URL('../../../worker/png/vectors.json', import.meta.url)
const vectors: readonly Vector[] = JSON.parse(readFileSync(file, 'utf8'))
const pngs = createPngs(1)
test.after.always(() => pngs.close())

for (const { picture, pixels, png, ...size } of vectors) {
  test(`a PNG has the bytes of its vector: ${picture}`, async (t) => {
    const written = await pngs.write({ ...size, pixels: Buffer.from(pixels, 'hex') }, 'account')
    t.is(written.toString('hex'), png)
  })
}
