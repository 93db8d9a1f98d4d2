import test from 'ava'
import { commentsOf } from '../../infra/plain-words/comments.ts'
import { isHeadless, longSentences } from '../../infra/plain-words/rules.ts'

test('a comment beside a directive is a comment of its own', (t) => {
  const code = `// biome-ignore lint/style: a reason
// First of two lines
// that are one comment.
// @ts-expect-error a reason
// Next comment.
call()
`
  const seen = commentsOf('a.ts', code).map(({ line, text }) => `${line} ${text}`)
  t.deepEqual(seen, ['2 First of two lines', '5 Next comment.'])
})

test('an opening without a subject is found in any case', (t) => {
  t.true(isHeadless('What it is'))
  t.true(isHeadless('of the bulk'))
  t.false(isHeadless('Offers of nodes'))
  t.false(isHeadless('Returns what it is'))
})

test('sentences end at stops and list items, and code is one word', (t) => {
  const words = (count: number) => Array.from({ length: count }, () => 'word').join(' ')
  const found = (text: string) => longSentences({ place: 'here', text }).length
  t.is(found(words(31)), 1)
  t.is(found(words(30)), 0)
  t.is(found(`${words(20)}. ${words(20)}`), 0)
  t.is(found(`- ${words(20)}\n- ${words(20)}`), 0)
  t.is(found(`\`${words(40)}\``), 0)
  t.is(found(`\`\`\`\n${words(40)}\n\`\`\``), 0)
})
