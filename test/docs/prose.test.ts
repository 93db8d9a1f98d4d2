import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import test from 'ava'

const root = fileURLToPath(new URL('../../', import.meta.url))
const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root }).toString().trim().split('\n')
const columnsMost = 120
const wordsMost = 30

/** Pages for customers, operators and newcomers, and every decision. */
const published = [
  ...['README.md', 'CONTRIBUTING.md', 'docs/README.md', 'docs/api.md', 'docs/client.md'],
  ...['docs/webhooks.md', 'docs/errors.md', 'docs/cli.md', 'docs/configuration.md'],
  ...['docs/OPERATIONS.md', 'docs/deployment.md', 'docs/monitoring.md', 'docs/ARCHITECTURE.md'],
  ...['docs/GLOSSARY.md', 'docs/agents.md', 'docs/RELIABILITY.md', 'docs/SCALING.md'],
  ...['docs/PERFORMANCE.md', 'CHANGELOG.md', 'docs/installation.md'],
  ...pages.filter((page) => page.startsWith('docs/decisions/')),
]

test('no prose line of a document is wider than 120 columns', (t) => {
  const wide = pages.flatMap((page) =>
    proseLines(page).flatMap(({ line, text }) =>
      [...text].length > columnsMost && !text.startsWith('|') ? [`${page}:${line}`] : [],
    ),
  )
  t.deepEqual(wide, [])
})

test('no sentence of a published page has more than 30 words', (t) => {
  const long = published.flatMap((page) =>
    blocksOf(page).flatMap((block) =>
      sentencesOf(block).flatMap((sentence) => {
        const count = sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}`]/u.test(word)).length
        return count > wordsMost ? [`${page}, ${count} words: ${sentence}`] : []
      }),
    ),
  )
  t.deepEqual(long, [])
})

type Line = { readonly line: number; readonly text: string }

/** Lines of a page outside of code blocks and comments. */
function proseLines(page: string): Line[] {
  let isCode = false
  return readFileSync(`${root}${page}`, 'utf8')
    .split('\n')
    .flatMap((text, index) => {
      if (/^\s*```/.test(text)) {
        isCode = !isCode
        return []
      }
      return isCode || text.startsWith('<!--') ? [] : [{ line: index + 1, text }]
    })
}

/** Paragraphs, list items and cells of tables. */
function blocksOf(page: string): string[] {
  const blocks: string[] = []
  let current = ''
  const end = () => {
    if (current !== '') blocks.push(current)
    current = ''
  }
  for (const { text } of proseLines(page)) {
    if (text.startsWith('|')) {
      end()
      blocks.push(...text.split(/(?<!\\)\|/))
      continue
    }
    if (text.trim() === '' || text.startsWith('#') || /^\s*([-*]|\d+\.) /.test(text)) end()
    if (text.startsWith('#')) continue
    current += ` ${text.trim()}`
  }
  end()
  return blocks
}

/** Splits at ends of sentences; a code span counts as one word. */
function sentencesOf(block: string): string[] {
  return block
    .replaceAll(/`[^`]*`/g, '`code`')
    .replaceAll(/\]\([^)]*\)/g, ']')
    .split(/(?<=[.!?])\s+(?=["'(*[`\p{L}\p{N}])/u)
}
