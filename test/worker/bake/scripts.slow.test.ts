import test from 'ava'
import type { BakedPicture } from '../../../worker/bake/paint.ts'
import { bakeOne, bakerFor, html, never, pixelsOf } from './baking.ts'

const baker = bakerFor(test)
const styled = (text: string, fontFamily: string) => html(text, { style: { fontFamily } })
const bakeAll = (...texts: string[]) =>
  baker().bake(
    texts.map((text) => html(text)),
    never,
  )

/** Expected family of each script, when the given family lacks it. */
const fallbacks: [script: string, text: string, family: string][] = [
  ['Arabic', 'مرحبا', 'Noto Sans Arabic'],
  ['Hebrew', 'שלום', 'Noto Sans Hebrew'],
  ['Devanagari', 'क्षत्रिय', 'Poppins'],
  ['Thai', 'น้ำใจ', 'Noto Sans Thai'],
  ['Chinese', '汉字直骨', 'Noto Sans SC'],
  ['Japanese', '漢字かなカナ', 'Noto Sans JP'],
  ['Korean', '한국어', 'Noto Sans KR'],
  ['Greek', 'Ελληνικά', 'Noto Sans'],
  ['Cyrillic', 'Кириллица', 'Noto Sans'],
  ['emoji', '🚀🎉', 'Noto Color Emoji'],
  ['signs', '✗➜', 'Noto Sans Symbols 2'],
  ['mathematics', '⟶⟨', 'Noto Sans Math'],
]

for (const [script, text, family] of fallbacks) {
  test(`${script} in a family without it is painted in ${family}`, async (t) => {
    const documents = [styled(text, 'Bebas Neue'), styled(text, family), styled(text, 'Righteous')]
    const [asked, named, other] = (await baker().bake(documents, never)) as [
      BakedPicture,
      BakedPicture,
      BakedPicture,
    ]
    t.deepEqual(asked.warnings, [])
    // The line's position follows from the given family; the glyphs must be the same.
    t.true(asked.png.equals(named.png), 'the same ink as in the family itself')
    t.true(other.png.equals(named.png))
  })
}

test('Chinese, Japanese and Korean give one character their own shapes', async (t) => {
  const pictures = await bakeAll('骨<span>。</span>', '骨<span>か</span>', '骨<span>한</span>')
  const shapes = await Promise.all(
    pictures.map(async (picture) => {
      const at = await pixelsOf(picture)
      const first = Array.from({ length: 42 * 60 }, (_, i) => at(i % 42, Math.floor(i / 42))[3])
      return first.join()
    }),
  )
  t.not(shapes[0], shapes[1])
})

/** Leftmost and rightmost column of a colour in the middle row of its text. */
async function spanOf(picture: BakedPicture, [red, green, blue]: [number, number, number]) {
  const at = await pixelsOf(picture)
  const columns: number[] = []
  for (let x = 0; x < picture.width; x++) {
    const [r, g, b, a] = at(x, 3)
    if (a === 255 && r === red && g === green && b === blue) columns.push(x)
  }
  return { left: Math.min(...columns), right: Math.max(...columns) }
}

test('right-to-left text runs so; Latin and numbers inside run left to right', async (t) => {
  const on = (color: string, text: string) => `<span style="background:${color}">${text}</span>`
  const inside = `${on('#f00', 'שלום')} ${on('#00f', 'abc')} ${on('#0f0', 'עולם')}`
  const picture = await bakeOne(baker(), html(`<div dir="rtl">${inside}</div>`))
  const [first, latin, last] = [
    await spanOf(picture, [255, 0, 0]),
    await spanOf(picture, [0, 0, 255]),
    await spanOf(picture, [0, 255, 0]),
  ]
  t.true(first.left > latin.right && latin.left > last.right)
  const [alone, rtl] = await bakeAll('12<b>3</b>', '<div dir="rtl">12<b>3</b></div>')
  t.true(alone?.png.equals(rtl?.png ?? Buffer.alloc(0)), 'a number reads the same')
})

test('Arabic letters join, Devanagari letters merge, marks stand over their letter', async (t) => {
  const pairs = [
    ['ههه', 'ه‌ه‌ه'],
    ['क्ष', 'क्‌ष'],
    ['न้ำ', 'นำ'],
  ] as const
  const pictures = await bakeAll(...pairs.flat())
  const [joined, apart, merged, split] = pictures as BakedPicture[]
  t.true((joined?.width ?? 0) < (apart?.width ?? 0))
  t.true((merged?.width ?? 0) < (split?.width ?? 0))
  const [plain, marked] = await bakeAll('กา', 'ก้า')
  t.is(plain?.width, marked?.width)
})

test('Thai and Chinese break their lines without spaces', async (t) => {
  for (const text of ['ภาษาไทยตัดคำได้ที่ปลายบรรทัด', '汉字直骨简体中文返汉字直骨']) {
    const free = await bakeOne(baker(), html(text))
    const narrow = await bakeOne(baker(), html(text, { width: Math.ceil(free.width * 0.6) }))
    t.is(Math.round(narrow.height / free.height), 2, text)
  }
})

test('an emoji family, a flag and a keycap are one picture each', async (t) => {
  const [one, ...joined] = await bakeAll('🚀', '👨‍👩‍👧‍👦', '🇩🇪', '👍🏽', '1️⃣')
  for (const { width, warnings } of joined) {
    t.true(Math.abs(width - (one?.width ?? 0)) < 4, `${width}`)
    t.deepEqual(warnings, [])
  }
})

/** Covered area of a picture, px. */
async function coverage(picture: BakedPicture): Promise<number> {
  const at = await pixelsOf(picture)
  let sum = 0
  for (let y = picture.inkY; y < picture.inkY + picture.inkHeight; y++) {
    for (let x = picture.inkX; x < picture.inkX + picture.inkWidth; x++) {
      sum += (at(x, y)[3] ?? 0) / 255
    }
  }
  return sum
}

for (const family of ['Inter', 'Poppins', 'Archivo', 'Noto Sans Arabic']) {
  test(`${family} has its own face for each weight`, async (t) => {
    const weights = [200, 400, 600, 800]
    const documents = weights.map((fontWeight) =>
      html('Hamburg مرحبا', { style: { fontFamily: family, fontWeight } }),
    )
    const inks = await Promise.all((await baker().bake(documents, never)).map(coverage))
    for (const [index, ink] of inks.slice(1).entries()) {
      t.true(
        ink > (inks[index] ?? 0) * 1.05,
        `${weights[index + 1]}: ${ink}, before ${inks[index]}`,
      )
    }
  })
}
