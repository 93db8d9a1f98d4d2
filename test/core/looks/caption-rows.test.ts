import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { balancedRows, captionFace } from '../../../core/looks/caption-rows.ts'
import { faceMetrics } from '../../../core/looks/face-metrics.ts'
import { type BundledFamily, bundledFamilies } from '../../../core/looks/families.ts'
import { readFaceMetrics } from '../../../worker/bake/font-tables.ts'
import { packages } from '../../../worker/bake/fonts.ts'

const words = (...widths: number[]) => widths.map((width) => ({ width, gap: 1, breaks: false }))

test('words that fit stand in one row', (t) => {
  t.deepEqual(balancedRows(words(3, 3, 3), 12), [0])
  t.deepEqual(balancedRows([], 12), [])
})

test('two rows are about equally long', (t) => {
  // 3 3 3 | 3 becomes 3 3 | 3 3.
  t.deepEqual(balancedRows(words(3, 3, 3, 3), 12), [0, 2])
  // A word moves only where that makes the rows more equal.
  t.deepEqual(balancedRows(words(4, 5, 5), 11), [0, 2])
})

test('three rows are made more alike, pair by pair', (t) => {
  t.deepEqual(balancedRows(words(...Array(10).fill(2)), 12.5), [0, 4, 7])
})

test('a break of the text stays, and rows beside it stay unmixed', (t) => {
  const rows = words(3, 3, 3, 3, 3)
  const broken = rows.map((word, i) => ({ ...word, breaks: i === 1 }))
  t.deepEqual(balancedRows(broken, 12), [0, 1, 3])
})

test('a word wider than the room has a row of its own', (t) => {
  t.deepEqual(balancedRows(words(3, 30, 3), 12), [0, 1, 2])
})

test('a face is scaled so ascent and descent fill the font size', (t) => {
  const sizes = (family: BundledFamily) => captionFace(family).split(';')[0]
  t.is(sizes('Montserrat'), 'size-adjust:64.0205%')
  t.is(sizes('Poppins'), 'size-adjust:56.7537%')
  t.is(sizes('Inter'), 'size-adjust:69.9215%')
})

for (const family of bundledFamilies) {
  test(`the metrics of ${family} are those of all its files`, async (t) => {
    const folder = dirname(fileURLToPath(import.meta.resolve(`${packages[family]}/package.json`)))
    const files = (await readdir(join(folder, 'files'))).filter((file) => file.endsWith('.woff2'))
    t.true(files.length > 0)
    // A Han family is a hundred files, alike but for their letters.
    for (const file of files.slice(0, 12)) {
      const own = readFaceMetrics(await readFile(join(folder, 'files', file)))
      if (family === 'Noto Sans Math') t.deepEqual(faceMetrics[family], faceMetrics['Noto Sans'])
      else t.deepEqual(own, faceMetrics[family], file)
    }
  })
}
