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

test('words without times get as much of the caption as their length and 1', (t) => {
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

test('words begin when their file says so, in their rows, each until the next', (t) => {
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

test('a caption gives way to the next one, whatever their order; two at once are one', (t) => {
  const captions = [caption(2, 9, 'b'), caption(0, 5, 'a'), caption(2, 4, 'c')]
  const lines = captionLines(captions, looks())
  t.deepEqual(read(lines), [
    [0, 2, 'a'],
    [2, 9, 'b c'],
  ])
  t.deepEqual(
    lines[1]?.words.map(({ breaks }) => breaks),
    [false, true],
  )
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

test('typing takes each word letter by letter until the next word; a family of emoji is one', (t) => {
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

test('the letters of a long caption are typed together in at most 500 parts', (t) => {
  const [line] = captionLines([caption(0, 4, 'x'.repeat(1000))], looks())
  t.is(line && partsOf(line, 'typewriter').flat().length, 500)
})
