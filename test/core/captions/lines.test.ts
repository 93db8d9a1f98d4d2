import test from 'ava'
import { captionLines, partsOf } from '../../../core/captions/lines.ts'
import type { ResolvedSubtitle } from '../../../core/project/resolved.ts'

const font = {
  ...{ family: 'Poppins', size: 50, color: '#ffffff', bold: false, italic: false },
  transform: 'none',
} as const
const looks = (more: Partial<ResolvedSubtitle> = {}) =>
  ({ animation: 'normal', font, ...more }) as const
const caption = (start: number, end: number, text: string, words?: object[]) => ({
  ...{ field: 'subtitle.captions[0]', start, end, text },
  ...(words && { words: words as { start: number; end: number; text: string }[] }),
})
const read = (lines: ReturnType<typeof captionLines>) =>
  lines.map(({ begin, end, words }) => [begin, end, words.map(({ text }) => text).join(' ')])

test('words without times share a caption by their length plus 1', (t) => {
  const [line] = captionLines([caption(1, 11, 'abc a\nlonger')], looks())
  // 4 + 2 + 7 shares of 10 s, in microseconds.
  t.deepEqual(line?.words, [
    { text: 'abc', begin: 1, end: 4.076923, breaks: false },
    { text: 'a', begin: 4.076923, end: 5.615385, breaks: false },
    { text: 'longer', begin: 5.615385, end: 11, breaks: true },
  ])
})

test('times of words are kept within their caption', (t) => {
  const words = [
    { start: 0, end: 1.5, text: 'a' },
    { start: 1.5, end: 9, text: ' b ' },
  ]
  const [line] = captionLines([caption(1, 2, 'a b', words)], looks())
  t.deepEqual(line?.words, [
    { text: 'a', begin: 1, end: 1.5, breaks: false },
    { text: 'b', begin: 1.5, end: 2, breaks: false },
  ])
})

test('timed words stand in their text’s rows where they are its words', (t) => {
  const words = ['Hi', 'there you', 'all'].map((text, i) => ({ start: i, end: i + 1, text }))
  const breaks = (text: string) =>
    captionLines([caption(0, 3, text, words)], looks())[0]?.words.map((word) => word.breaks)
  t.deepEqual(breaks('Hi\nthere you\nall'), [false, true, true])
  t.deepEqual(breaks('Hi there\nyou all'), [false, false, false])
  t.deepEqual(breaks('Another\ntext'), [false, false, false])
})

test('words begin at their file’s times, in rows, each until the next', (t) => {
  const timed = { ...caption(1, 5, 'a b\nc'), wordStarts: [1, 2.5, 4] }
  const [line] = captionLines([timed], looks())
  t.deepEqual(line?.words, [
    { text: 'a', begin: 1, end: 2.5, breaks: false },
    { text: 'b', begin: 2.5, end: 4, breaks: false },
    { text: 'c', begin: 4, end: 5, breaks: true },
  ])
  const chunks = captionLines([timed], looks({ maxWordsPerLine: 2 }))
  t.deepEqual(read(chunks), [
    [1, 4, 'a b'],
    [4, 5, 'c'],
  ])
})

test('maxWordsPerLine makes lines that follow each other without a gap', (t) => {
  const lines = captionLines([caption(0, 8, 'a b c d')], looks({ maxWordsPerLine: 3 }))
  t.deepEqual(read(lines), [
    [0, 6, 'a b c'],
    [6, 8, 'd'],
  ])
})

test('one-word shows them one by one, however many a line may have', (t) => {
  const subtitle = looks({ animation: 'one-word', maxWordsPerLine: 3 })
  t.deepEqual(read(captionLines([caption(0, 4, 'a\nb')], subtitle)), [
    [0, 2, 'a'],
    [2, 4, 'b'],
  ])
})

test('captions that overlap are all kept, in the order of their beginnings', (t) => {
  const captions = [caption(2, 9, 'b'), caption(0, 5, 'a'), caption(2, 4, 'c')]
  t.deepEqual(read(captionLines(captions, looks())), [
    [0, 5, 'a'],
    [2, 9, 'b'],
    [2, 4, 'c'],
  ])
  const oneByOne = [caption(0, 4, 'a b'), caption(1, 3, 'c d')]
  t.deepEqual(read(captionLines(oneByOne, looks({ animation: 'one-word' }))), [
    [0, 2, 'a'],
    [1, 2, 'c'],
    [2, 4, 'b'],
    [2, 3, 'd'],
  ])
})

test('scripts without spaces are shown word by word', (t) => {
  const words = (text: string) =>
    read(captionLines([caption(0, 1, text)], looks({ animation: 'one-word' }))).map(
      ([, , word]) => word,
    )
  t.deepEqual(words('今日はとても良い天気ですね。'), [
    ...['今日', 'は', 'とても', '良い', '天気', 'です', 'ね。'],
  ])
  t.deepEqual(words('我爱北京，你好！'), ['我', '爱', '北京，', '你好！'])
  t.deepEqual(words('สวัสดีครับ วันนี้'), ['สวัสดี', 'ครับ', 'วัน', 'นี้'])
  t.deepEqual(words('ខ្ញុំស្រឡាញ់ភាសា'), ['ខ្ញុំ', 'ស្រឡាញ់', 'ភាសា'])
  t.deepEqual(words('ສະບາຍດີຊາວໂລກ'), ['ສະບາຍດີ', 'ຊາວໂລກ'])
  // Text that is written with spaces beside it stays whole, and brackets stay with their content.
  t.deepEqual(words('AT&T株式会社の「iPhone15」を3.5%安く'), [
    ...['AT&T', '株式会社', 'の', '「iPhone15」', 'を', '3.5%', '安', 'く'],
  ])
  t.deepEqual(words("Don't stop-it 한국어 텍스트"), ["Don't", 'stop-it', '한국어', '텍스트'])
})

test('words of such a script are joined again without spaces', (t) => {
  const joined = (more: object[]) =>
    captionLines([caption(0, 4, '今日は良い Hello', more)], looks())[0]?.words.map((word) => [
      word.text,
      word.joined === true,
    ])
  const expected = [
    ['今日', false],
    ['は', true],
    ['良い', true],
    ['Hello', false],
  ]
  t.deepEqual(joined([]), expected)
  const said = ['今日', 'は', '良い', 'Hello'].map((text, i) => ({ start: i, end: i + 1, text }))
  t.deepEqual(joined(said), expected)
  const others = ['明日', 'も', 'Hello'].map((text, i) => ({ start: i, end: i + 1, text }))
  t.deepEqual(joined(others), [
    ['明日', false],
    ['も', true],
    ['Hello', false],
  ])
})

test('given words stand side by side where their caption writes them so', (t) => {
  const words = ['It', "'s", ' re', 'al.'].map((text, i) => ({ start: i, end: i + 1, text }))
  const [line] = captionLines([caption(0, 4, "It's\nreal.", words)], looks())
  t.deepEqual(
    line?.words.map(({ text, joined, breaks }) => [text, joined === true, breaks]),
    [
      ['It', false, false],
      ["'s", true, false],
      ['re', false, true],
      ['al.', true, false],
    ],
  )
})

test('maxWordsPerLine counts words of scripts without spaces', (t) => {
  const lines = captionLines([caption(0, 1, '今日は良い天気です')], looks({ maxWordsPerLine: 2 }))
  t.deepEqual(
    lines.map(({ words }) => words.map(({ text }) => text).join('')),
    ['今日は', '良い天気', 'です'],
  )
})

test('a caption has at most 500 words, however short they are', (t) => {
  const text = '我爱你'.repeat(333)
  const [line] = captionLines([caption(0, 1, text)], looks())
  t.true((line?.words.length ?? 0) <= 500)
  t.is(line?.words.map((word) => word.text).join(''), text)
})

for (const [transform, expected] of [
  ['none', "it's éa"],
  ['uppercase', "IT'S ÉA"],
  ['lowercase', "it's éa"],
  ['capitalize', "It's Éa"],
] as const) {
  test(`${transform} is written into the words`, (t) => {
    const subtitle = looks({ font: { ...font, transform } })
    t.deepEqual(read(captionLines([caption(0, 1, "it's éa")], subtitle)), [[0, 1, expected]])
  })
}

test('typing shows each word letter by letter; an emoji family counts once', (t) => {
  const words = [
    { start: 0, end: 1, text: 'e\u0301a' },
    { start: 2, end: 3, text: '👨‍👩‍👧' },
  ]
  const [line] = captionLines([caption(0, 4, 'x', words)], looks())
  t.truthy(line)
  if (!line) return
  t.deepEqual(partsOf(line, 'typewriter'), [
    [
      { text: 'e\u0301', begin: 0, end: 1 },
      { text: 'a', begin: 1, end: 2 },
    ],
    [{ text: '👨‍👩‍👧', begin: 2, end: 3 }],
  ])
})

test('a long caption’s letters are typed together in at most 500 parts', (t) => {
  const [line] = captionLines([caption(0, 4, 'x'.repeat(1000))], looks())
  t.is(line && partsOf(line, 'typewriter').flat().length, 500)
})
