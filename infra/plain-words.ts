// `node infra/plain-words.ts [ROOM]`: measures how our English reads (CONTRIBUTING.md, "How a
// sentence reads"). It lists what breaks a rule; with ROOM also each of its comments that opens
// with one of the words below.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

/** Openings that make a reader start over: neither subject nor verb is where it is looked for. */
const headlessOpenings = [
  ...['What', 'Who', 'Whom', 'Whose', 'Which', 'Where', 'Whether', 'How', 'Why', 'That', 'Those'],
  ...['Of', 'In', 'On', 'At', 'By', 'For', 'From', 'With', 'Without', 'Within', 'Until', 'To'],
  ...['Under', 'Over', 'Between', 'Among', 'Beside', 'Behind', 'Beyond', 'Into', 'Through', 'As'],
]
const headlessShareMost = 0.04

const root = fileURLToPath(new URL('..', import.meta.url))
const opening = new RegExp(`^(${headlessOpenings.join('|')})\\b`)

type Comment = { readonly file: string; readonly line: number; readonly text: string }

const files = execFileSync('git', ['ls-files', '*.ts', '*.mjs'], { cwd: root, encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && !file.startsWith('proto/gen/'))
const comments = files.flatMap(commentsOf)
const headless = comments.filter(({ text }) => opening.test(text))
const share = headless.length / comments.length

const [room] = process.argv.slice(2)
if (room !== undefined) {
  for (const { file, line, text } of headless) {
    if (file.startsWith(room)) console.log(`${file}:${line}  ${text.slice(0, 140)}`)
  }
}
for (const [name, list] of [...Map.groupBy(comments, ({ file }) => file.split('/')[0] ?? '')]) {
  const found = list.filter(({ text }) => opening.test(text)).length
  console.log(`${percent(found / list.length)}  ${name}: ${found} of ${list.length} comments`)
}
console.log(`${percent(share)}  all: ${headless.length} of ${comments.length} comments`)
if (share > headlessShareMost) {
  console.log(
    `At most ${percent(headlessShareMost)} of the comments may open with: ${headlessOpenings.join(', ')}`,
  )
  process.exitCode = 1
}

/** Comments of a file, in order; line comments on adjacent lines are one. */
function commentsOf(file: string): Comment[] {
  const text = readFileSync(`${root}${file}`, 'utf8')
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found = new Map<number, ts.CommentRange>()
  const collect = (node: ts.Node): void => {
    for (const range of ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []) {
      found.set(range.pos, range)
    }
    for (const range of ts.getTrailingCommentRanges(text, node.getEnd()) ?? []) {
      found.set(range.pos, range)
    }
    for (const child of node.getChildren(source)) collect(child)
  }
  collect(source)
  const comments: (Comment & { readonly lastLine: number; readonly isLine: boolean })[] = []
  for (const { pos, end, kind } of [...found.values()].sort((a, b) => a.pos - b.pos)) {
    const line = source.getLineAndCharacterOfPosition(pos).line + 1
    const lastLine = source.getLineAndCharacterOfPosition(end).line + 1
    const isLine = kind === ts.SyntaxKind.SingleLineCommentTrivia
    const before = comments.at(-1)
    if (isLine && before?.isLine && before.lastLine === line - 1) {
      comments[comments.length - 1] = { ...before, lastLine }
      continue
    }
    const words = text
      .slice(pos, end)
      .replace(/^\/\*+|\*+\/$|^\/\/+/g, '')
      .replaceAll(/^\s*\*\s?/gm, '')
      .trim()
    comments.push({ file, line, lastLine, isLine, text: words.replaceAll(/\s+/g, ' ') })
  }
  return comments.filter(
    ({ text: words }) => /^\p{L}/u.test(words) && !/^(biome-ignore|@ts-|#|eslint)/.test(words),
  )
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`
}
