import test from 'ava'
import sharp from 'sharp'
import { decodePicture } from '../../../worker/media/decode-picture.ts'
import {
  chromaticities,
  cicp,
  coloredPng,
  gamma,
  p3,
  patchColors,
  profileChunk,
  profileIn,
  withCodePoints,
} from './colored-png.ts'
import { openBrowser } from './in-browser.ts'

const transfers = [1, 4, 5, 6, 7, 8, 11, 13, 14, 15, 16, 17, 18]
const primaries = [1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 22]
const adobe = profileChunk(profileIn('p16-adobe.png'))
const greyProfile = profileChunk(profileIn('g16-icc.png'))

const gammas = [0.2, 0.4, 0.44, 0.45455, 0.47, 0.5, 0.55556, 1, 1.8]
const cases: readonly (readonly [string, Buffer])[] = [
  ...transfers.flatMap((code) =>
    [1, 9, 12].map((of) => [`cICP ${of}, ${code}`, coloredPng({}, cicp(of, code))] as const),
  ),
  ...primaries.map((code) => [`cICP ${code}, 13`, coloredPng({}, cicp(code, 13))] as const),
  ...[0, 2, 3, 9, 10, 12, 19, 255].map(
    (code) => [`cICP 9, ${code}`, coloredPng({}, cicp(9, code))] as const,
  ),
  ...gammas.flatMap((value) => [
    [`gAMA ${value}`, coloredPng({}, gamma(value))] as const,
    [`gAMA ${value}, cHRM`, coloredPng({}, gamma(value), chromaticities(p3))] as const,
    [`grey gAMA ${value}`, coloredPng({ kind: 'grey', depth: 16 }, gamma(value))] as const,
  ]),
  ...(['rgb', 'rgba', 'palette'] as const).map(
    (kind) => [`${kind} of 8 bits, Adobe RGB`, coloredPng({ kind }, adobe)] as const,
  ),
  ...(['rgb', 'rgba'] as const).map(
    (kind) => [`${kind} of 16 bits, Adobe RGB`, coloredPng({ kind, depth: 16 }, adobe)] as const,
  ),
  ...(['grey', 'grey-alpha'] as const).flatMap((kind) =>
    ([8, 16] as const).map(
      (depth) =>
        [`${kind} of ${depth} bits, gamma 1.8`, coloredPng({ kind, depth }, greyProfile)] as const,
    ),
  ),
]

/** Largest difference between the channels of two lists of colours. */
function distance(seen: readonly string[], right: readonly string[]): number {
  const [a = [], b = []] = [seen, right].map((each) => each.join().split(',').map(Number))
  return Math.max(...a.map((value, i) => Math.abs(value - (b[i] ?? 0))))
}

test('PNGs have the colours in which Chromium shows them', async (t) => {
  const show = await openBrowser(t)
  for (const [what, file] of cases) {
    const seen = await show(file)
    if (!seen) throw new Error(`Chromium must show ${what}. It does not`)
    const [right, ours] = [patchColors(seen), patchColors(await decodePicture(file))]
    t.true(distance(ours, right) <= 1, `${what}: ${ours.join(' ')}, Chromium ${right.join(' ')}`)
  }
})

test('AVIFs have the colours in which Chromium shows them', async (t) => {
  const show = await openBrowser(t)
  for (const bitdepth of [8, 10, 12] as const) {
    const plain = await sharp(coloredPng({})).avif({ lossless: true, bitdepth }).toBuffer()
    for (const [of, transfer] of [
      [1, 13],
      [2, 2],
      [12, 13],
      [9, 1],
      [9, 14],
      [9, 16],
      [9, 18],
      [1, 8],
      [5, 5],
      [6, 6],
    ] as const) {
      const file = withCodePoints(plain, of, transfer)
      const seen = await show(file)
      if (!seen) throw new Error(`Chromium must show nclx ${of}, ${transfer}. It does not`)
      const [right, ours] = [patchColors(seen), patchColors(await decodePicture(file))]
      t.true(
        distance(ours, right) <= 4,
        `${bitdepth} bits, nclx ${of}, ${transfer}: ${ours.join(' ')}, Chromium ${right.join(' ')}`,
      )
    }
  }
})
