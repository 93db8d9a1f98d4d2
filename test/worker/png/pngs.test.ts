import test from 'ava'
import { createPngs } from '../../../worker/png/pngs.ts'
import { type PngPicture, PngWriter } from '../../../worker/png/writer.ts'

/** Noise of its own for each number. */
function noise(number: number, width: number): PngPicture {
  const height = 40
  const pixels = Buffer.alloc(width * height * 4)
  for (let at = 0; at < pixels.length; at += 1) {
    pixels[at] = Math.imul(at + number * 7919, 2_654_435_761) >>> 13
  }
  return { pixels, width, height, channels: 3 }
}

test('concurrent pictures in shared memory keep their own bytes', async (t) => {
  const pngs = createPngs(2)
  t.teardown(() => pngs.close())
  for (const widths of [
    [300, 20, 300, 150, 1],
    [20, 301, 300, 7],
  ]) {
    const pictures = widths.map((width, at) => noise(at, width))
    const written = await Promise.all(pictures.map((picture) => pngs.write(picture, 'a')))
    const alone = pictures.map((picture) => new PngWriter({ cacheMaxBytes: 0 }).write(picture, 'a'))
    t.deepEqual(written, alone)
  }
})

test('pixels may be changed as soon as they are given for writing', async (t) => {
  const pngs = createPngs(1)
  t.teardown(() => pngs.close())
  const picture = noise(1, 50)
  const alone = new PngWriter({ cacheMaxBytes: 0 }).write(picture, 'a')
  const writing = pngs.write(picture, 'a')
  picture.pixels.fill(0)
  t.deepEqual(await writing, alone)
})
