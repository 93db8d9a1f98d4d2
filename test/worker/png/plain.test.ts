import test from 'ava'
import fc from 'fast-check'
import sharp from 'sharp'
import { decodeUsualPng, encodePng, sizeOfUsualPng } from '../../../worker/png/plain.ts'

const memoryFor = (bytes: number) => Buffer.alloc(bytes)

const pictures = fc
  .record({ width: fc.integer({ min: 1, max: 30 }), height: fc.integer({ min: 1, max: 12 }) })
  .chain(({ width, height }) => {
    const length = width * height * 4
    const data = fc.uint8Array({ minLength: length, maxLength: length })
    return fc.record({
      data: data.map((bytes) => Buffer.from(bytes)),
      ...constants({ width, height }),
    })
  })

function constants(size: { width: number; height: number }) {
  return { width: fc.constant(size.width), height: fc.constant(size.height) }
}

test('small pictures round-trip here and through libvips', async (t) => {
  await fc.assert(
    fc.asyncProperty(pictures, async (picture) => {
      const png = encodePng(picture)
      const size = sizeOfUsualPng(png)
      t.deepEqual(size, { width: picture.width, height: picture.height })
      t.deepEqual(size && decodeUsualPng(png, size, memoryFor), picture)
      t.deepEqual(await sharp(png).raw().toBuffer(), picture.data)
    }),
    { numRuns: 50 },
  )
})

test('other PNG kinds, other files and cut-off ones are left to others', async (t) => {
  const create = { width: 8, height: 4, channels: 3, background: '#c0ffee' } as const
  const rgb = await sharp({ create }).png().toBuffer()
  const jpg = await sharp({ create }).jpeg().toBuffer()
  for (const file of [rgb, jpg]) {
    const size = sizeOfUsualPng(file)
    t.truthy(size)
    t.is(size && decodeUsualPng(file, size, memoryFor), undefined)
  }
  const whole = encodePng({ width: 8, height: 4, data: Buffer.alloc(128, 7) })
  t.is(sizeOfUsualPng(whole.subarray(0, 20)), undefined)
  const withoutEnd = whole.subarray(0, whole.length - 30)
  t.throws(() => decodeUsualPng(withoutEnd, { width: 8, height: 4 }, memoryFor))
})
