import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import type { ColorKey } from '../../../core/timeline/draw.ts'
import { keyOut } from '../../../worker/media/color-key.ts'
import { outputOf, workOf } from '../encode/film-of.ts'

const size = { width: 512, height: 512 }

/** Every colour whose channels are multiples of 4, each once, opaque. */
function allColours(): Buffer {
  const rgba = Buffer.alloc(size.width * size.height * 4, 255)
  for (let i = 0; i < rgba.length / 4; i++) {
    rgba[i * 4] = (i & 63) * 4
    rgba[i * 4 + 1] = ((i >> 6) & 63) * 4
    rgba[i * 4 + 2] = ((i >> 12) & 63) * 4
  }
  return rgba
}

const keys: ColorKey[] = [
  { color: '#00ff00', similarity: 0.5, blend: 0 },
  { color: '#00ff00', similarity: 0.18, blend: 0.08 },
  { color: '#00fc00', similarity: 0.01, blend: 0 },
  { color: '#123456', similarity: 0.3, blend: 0.5 },
  { color: '#ffffff', similarity: 0.9, blend: 1 },
  { color: '#0000ff', similarity: 1, blend: 0 },
]

for (const key of keys) {
  const { color, similarity, blend } = key
  test(`${color} ${similarity} ${blend} keys out what ffmpeg's colorkey does`, async (t) => {
    const { dir } = await workOf(t)
    const file = join(dir, 'colours')
    await writeFile(file, allColours())
    const raw = ['-f', 'rawvideo', '-pix_fmt', 'rgba']
    const filter = `format=rgba,colorkey=0x${color.slice(1)}:${similarity}:${blend}`
    const input = [...raw, '-s', `${size.width}x${size.height}`, '-i', file]
    const expected = await outputOf('ffmpeg', ...input, '-vf', filter, ...raw, '-')
    const ours = allColours()
    keyOut(ours, key)
    t.is(ours.length, expected.length)
    t.true(ours.equals(expected))
  })
}

test('similarity 0 keys out the colour itself and no other', (t) => {
  const rgba = Buffer.from([0, 255, 0, 255, 0, 254, 0, 255])
  keyOut(rgba, { color: '#00ff00', similarity: 0, blend: 0 })
  t.deepEqual([...rgba], [0, 255, 0, 0, 0, 254, 0, 255])
})

test('transparent pixels stay transparent, half transparent ones are keyed by half', (t) => {
  const rgba = Buffer.from([9, 9, 9, 0, 255, 0, 0, 128])
  keyOut(rgba, { color: '#00ff00', similarity: 0.5, blend: 0.5 })
  // Red is 0.816 away from green: 0.633 of the way through the blend.
  t.deepEqual([...rgba], [9, 9, 9, 0, 255, 0, 0, Math.round((128 * 161) / 255)])
})
