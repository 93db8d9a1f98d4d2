/** Picture or document that browsers do not show as an image; the refusal names its format. */
export type ForeignPicture = {
  readonly kind: 'foreign'
  readonly name: string
  /** Sentence that tells the customer how to get it shown. */
  readonly remedy: string
}

const toJpeg = 'Convert it to jpeg, png, webp or avif.'

/** First bytes of pictures and documents that people send as pictures, in hexadecimal. */
const foreignHeads: readonly (readonly [RegExp, name: string, remedy?: string])[] = [
  [/^49492a00.{8}4352|^49491a000000484541504343/, 'camera raw file (Canon CR2 or CRW)'],
  [/^49495[25][4f]|^49495500/, 'camera raw file (Olympus ORF or Panasonic RW2)'],
  [/^46554a4946494c4d4343442d524157/, 'camera raw file (Fujifilm RAF)'],
  [/^49492[ab]00|^4d4d002[ab]/, 'TIFF, or a camera raw file made like one (DNG, NEF, ARW)'],
  [/^3842505[3b]/, 'Photoshop file (PSD)'],
  [/^424d.{8}0{8}.{8}(0c|28|34|38|40|6c|7c)000000/, 'BMP'],
  [/^00000[12]00(?!00)..00/, 'Windows icon or cursor (ICO, CUR)'],
  [/^ff0a|^0000000c4a584c200d0a870a/, 'JPEG XL'],
  [/^0000000c6a5020200d0a870a|^ff4fff51/, 'JPEG 2000'],
  [/^4949bc/, 'JPEG XR'],
  [/^255044462d/, 'PDF', 'Save the page as a png or jpeg.'],
  [
    /^25215053|^c5d0d3c6/,
    'PostScript file (EPS)',
    'Save it as a png, or as svg for an SVG visual.',
  ],
  [/^1f8b/, 'gzip file (an SVGZ, perhaps)', 'Unpack it: markup goes into an SVG visual.'],
  [/^67696d7020786366/, 'GIMP file (XCF)'],
]

export function foreignPicture(firstBytes: Buffer): ForeignPicture | undefined {
  const head = firstBytes.toString('hex', 0, 64)
  const found = foreignHeads.find(([start]) => start.test(head))
  if (!found) return undefined
  const [, name, remedy = toJpeg] = found
  return { kind: 'foreign', name, remedy }
}

/**
 * Brands of HEIF whose pictures are H.265, H.266 or H.264 (ISO 23008-12, annex B on), and a
 * camera's own.
 */
const foreignBrands: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs'].map((brand) => [
      brand,
      'HEIC',
    ]),
  ),
  ...{ mif1: 'HEIF', msf1: 'HEIF', mif2: 'HEIF', avci: 'HEIF', avcs: 'HEIF', vvic: 'HEIF' },
  ...{ jxl: 'JPEG XL', 'crx ': 'camera raw file (Canon CR3)' },
}

/**
 * Returns the foreign format of an ISO base media file. `brands`: its brands, the major one first.
 */
export function foreignHeif(brands: readonly string[]): ForeignPicture | undefined {
  const [major = ''] = brands
  if (foreignBrands[major] === undefined) return undefined
  // The general brand is less specific than a later one.
  const name = brands.map((brand) => foreignBrands[brand]).find((each) => each && each !== 'HEIF')
  return { kind: 'foreign', name: name ?? 'HEIF', remedy: toJpeg }
}
