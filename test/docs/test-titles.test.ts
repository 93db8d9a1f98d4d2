import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import test from 'ava'

const root = fileURLToPath(new URL('../../', import.meta.url))
const wordsMost = 12

/** A call of test, test.serial and the like, up to the end of its literal title. */
const titlePattern = /(?<![.\w])test(?:\.\w+)*\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/g

test('no test title has more than 12 words', (t) => {
  const files = readdirSync(`${root}test`, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => `test/${file}`)
  t.true(files.includes('test/docs/test-titles.test.ts'))
  const long = files.flatMap((file) =>
    titlesOf(readFileSync(`${root}${file}`, 'utf8')).flatMap(({ line, title }) => {
      const count = wordsOf(title)
      return count > wordsMost ? [`${file}:${line}, ${count} words: ${title}`] : []
    }),
  )
  t.deepEqual(long, [])
})

test('titles are found in each form of a call', (t) => {
  const call = 'test'
  const third = 'three $' + '{a + b}'
  const text = [
    `${call}('one', (t) => t.pass())`,
    `${call}.serial(`,
    "  'the second\\'s',",
    `${call}.serial.skip(\`${third}\`, () => undefined)`,
    `/a/.${call}('no title')`,
    `${call}.before(async () => {`,
  ].join('\n')
  t.deepEqual(titlesOf(text), [
    { line: 1, title: 'one' },
    { line: 2, title: "the second\\'s" },
    { line: 4, title: third },
  ])
  t.is(wordsOf(third), 2)
})

type Title = { readonly line: number; readonly title: string }

function titlesOf(text: string): Title[] {
  return [...text.matchAll(titlePattern)].map(({ index, 2: title = '' }) => ({
    line: text.slice(0, index).split('\n').length,
    title,
  }))
}

/** An interpolation counts as one word. */
function wordsOf(title: string): number {
  return title
    .replaceAll(/\$\{[^}]*\}/g, 'X')
    .split(/\s+/)
    .filter((word) => word !== '').length
}
