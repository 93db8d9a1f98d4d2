import { writeFile } from 'node:fs/promises'
import test from 'ava'
import { sniffFile } from '../../../runtime/media/sniff.ts'
import { scratch } from './clip-look.ts'

const ftyp = (...brands: string[]) =>
  `\0\0\0\x20ftyp${brands[0]}\0\0\0\0${brands.slice(1).join('')}`
const bmp = `BM${'\x10\x27\0\0'}\0\0\0\0\x36\0\0\0\x28\0\0\0`

for (const [name, head] of [
  ['HEIC', ftyp('heic', 'mif1', 'heic')],
  ['HEIC', ftyp('mif1', 'heic', 'miaf')],
  ['HEIC', ftyp('msf1', 'hevc')],
  ['HEIF', ftyp('mif1', 'miaf')],
  ['camera raw file (Canon CR3)', ftyp('crx ', 'isom')],
  ['JPEG XL', '\0\0\0\x0cJXL \r\n\x87\n'],
  ['JPEG XL', '\xff\x0a\xfa\x1f'],
  ['TIFF, or a camera raw file made like one (DNG, NEF, ARW)', 'MM\0*\0\0\0\x08'],
  ['Photoshop file (PSD)', '8BPS\0\x01'],
  ['BMP', bmp],
  ['Windows icon or cursor (ICO, CUR)', '\0\0\x01\0\x01\0\x20\x20'],
  ['PDF', '%PDF-1.7\n'],
  ['JPEG 2000', '\0\0\0\x0cjP  \r\n\x87\n'],
] as const) {
  test(`a file that begins as ${JSON.stringify(head)} is ${name}`, async (t) => {
    const path = await scratch(t)
    await writeFile(path('media'), Buffer.from(head.padEnd(100), 'latin1'))
    t.like(await sniffFile(path('media')), { kind: 'foreign', name })
  })
}

for (const [kind, head] of [
  ['image', ftyp('avif', 'mif1', 'miaf')],
  ['image', ftyp('mif1', 'avif')],
  ['image', ftyp('avis', 'msf1')],
  ['audio', ftyp('isom', 'mp42')],
  ['audio', ftyp('qt  ')],
  ['audio', '\xff\xfb\x90\x64'],
  ['unknown', 'BMW is a car'],
  ['unknown', '1\r\n00:00:00,000 --> 00:00:01,000\r\nII'],
] as const) {
  test(`a file that begins as ${JSON.stringify(head)} is no foreign picture`, async (t) => {
    const path = await scratch(t)
    await writeFile(path('media'), Buffer.from(head.padEnd(100), 'latin1'))
    t.is((await sniffFile(path('media'))).kind, kind)
  })
}
