import { readFile } from 'node:fs/promises'
import test, { type ExecutionContext } from 'ava'
import sharp from 'sharp'
import { decodePicture } from '../../../worker/media/decode-picture.ts'
import {
  chromaticities,
  cicp,
  coloredPng,
  gamma,
  p3,
  patchColors,
  pictureFile,
  profileChunk,
  profileIn,
  srgbChunk,
  withCodePoints,
} from './colored-png.ts'

/** Tolerates 1 of 255, for two ways of rounding. */
function isNear(t: ExecutionContext, colors: readonly string[], expected: readonly string[]) {
  const [seen, right] = [colors, expected].map((each) => each.join().split(',').map(Number))
  const isOff = seen?.some((value, i) => Math.abs(value - (right?.[i] ?? 0)) > 1)
  if (isOff || seen?.length !== right?.length) t.deepEqual(colors, expected)
  else t.pass()
}

const colorsOf = async (file: Buffer) => patchColors(await decodePicture(file))

/** Expected as in Chromium 156; picture-colors.slow.test.ts asks the installed one. */
for (const [name, x, y, color] of [
  ['p16-srgb.png', 48, 8, '200,60,40,255'],
  ['p16-adobe.png', 48, 8, '231,57,34,255'],
  ['g16-icc.png', 144, 40, '82,82,82,255'],
  ['cicp-p3.png', 48, 8, '217,42,23,255'],
  ['gama.png', 48, 8, '229,133,110,255'],
] as const) {
  test(`${name} has the colours that its own data say`, async (t) => {
    const { raw, width } = await decodePicture(await readFile(pictureFile(name)))
    const at = (y * width + x) * 4
    t.is([...raw.subarray(at, at + 4)].join(), color)
  })
}

const adobe = profileChunk(profileIn('p16-adobe.png'))
const greyProfile = profileChunk(profileIn('g16-icc.png'))

for (const [kind, profile] of [
  ['rgb', adobe],
  ['rgba', adobe],
  ['grey', greyProfile],
  ['grey-alpha', greyProfile],
] as const) {
  test(`${kind} of 16 bits with a profile looks like one of 8`, async (t) => {
    const eight = await colorsOf(coloredPng({ kind }, profile))
    isNear(t, await colorsOf(coloredPng({ kind, depth: 16 }, profile)), eight)
    t.notDeepEqual(await colorsOf(coloredPng({ kind })), eight)
  })
}

const asWritten = ['200,60,40,255', '128,128,128,255', '20,200,90,255']
const asP3 = ['217,42,23,255', '128,128,128,255', '0,204,73,255']
const asLight = ['229,133,110,255', '188,188,188,255', '79,229,160,255']
const asAdobe = ['231,57,34,255', '129,129,129,255', '0,201,80,255']

for (const [what, chunks, colors] of [
  ['cICP counts before a profile', [adobe, cicp(12, 13)], asP3],
  ['cICP counts before gAMA', [gamma(1), cicp(12, 13)], asP3],
  ['a profile counts before sRGB', [srgbChunk(), adobe], asAdobe],
  ['a profile counts before gAMA', [adobe, gamma(1)], asAdobe],
  ['sRGB counts before gAMA', [gamma(1), srgbChunk()], asWritten],
  ['gAMA counts where the profile is none', [profileChunk(Buffer.alloc(200)), gamma(1)], asLight],
  ['gAMA of about 1/2.2 alone is sRGB', [gamma(0.45455)], asWritten],
  ['gAMA of 0 says nothing', [gamma(0)], asWritten],
  ['cHRM alone says nothing', [chromaticities(p3)], asWritten],
  ['cHRM of no colours says nothing', [gamma(1), chromaticities(Array(8).fill(0))], asLight],
  ['cICP of YCbCr says nothing', [cicp(12, 13, 1)], asWritten],
  ['cICP of narrow range says nothing', [cicp(12, 13, 0, 0)], asWritten],
  ['cICP of unknown code points gives way to gAMA', [cicp(12, 99), gamma(1)], asLight],
  ['linear cICP', [cicp(1, 8)], asLight],
  [
    'gAMA with cHRM of P3',
    [gamma(0.45455), chromaticities(p3)],
    ['219,37,13,255', '129,129,129,255', '0,205,72,255'],
  ],
  [
    'BT.2020 clips what sRGB does not hold',
    [cicp(9, 13)],
    ['247,0,23,255', '128,128,128,255', '0,211,67,255'],
  ],
  [
    'PQ is brought down to a screen without HDR',
    [cicp(9, 16)],
    ['255,0,0,255', '132,132,132,255', '0,255,0,255'],
  ],
  [
    'HLG is brought down to a screen without HDR',
    [cicp(9, 18)],
    ['230,0,8,255', '99,99,99,255', '0,209,45,255'],
  ],
] as const) {
  test(`PNG: ${what}`, async (t) => {
    isNear(t, await colorsOf(coloredPng({}, ...chunks)), colors)
    isNear(t, await colorsOf(coloredPng({ kind: 'palette' }, ...chunks)), colors)
    isNear(t, await colorsOf(coloredPng({ depth: 16 }, ...chunks)), colors)
  })
}

test('linear grey of 16 bits keeps its dark steps', async (t) => {
  const grey = coloredPng({ kind: 'grey', depth: 16 }, gamma(1))
  t.deepEqual(await colorsOf(grey), ['229,229,229,255', '188,188,188,255', '79,79,79,255'])
})

test('a CMYK JPEG without an ink profile is shown as in browsers', async (t) => {
  const file = await readFile(pictureFile('cmyk.jpg'))
  t.is((await sharp(file).metadata()).space, 'cmyk')
  isNear(t, await colorsOf(file), asWritten)
})

test('an AVIF is shown by the code points of its nclx', async (t) => {
  const avif = await sharp(coloredPng({})).avif({ lossless: true }).toBuffer()
  const shown = async (...points: [number, number]) => colorsOf(withCodePoints(avif, ...points))
  isNear(t, await shown(1, 13), asWritten)
  isNear(t, await shown(2, 2), asWritten)
  isNear(t, await shown(1, 1), asWritten)
  isNear(t, await shown(12, 13), asP3)
  isNear(t, await shown(12, 2), asP3)
  isNear(t, await shown(1, 8), asLight)
})
