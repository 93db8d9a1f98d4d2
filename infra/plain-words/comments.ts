import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import ts from 'typescript'

export type Comment = { readonly file: string; readonly line: number; readonly text: string }

/** Returns the comments of every file of code that is written by hand. */
export function allComments(root: string): Comment[] {
  return execFileSync('git', ['ls-files', '*.ts', '*.mjs'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((file) => file !== '' && !file.startsWith('proto/gen/'))
    .flatMap((file) => commentsOf(file, readFileSync(`${root}${file}`, 'utf8')))
}

/** A comment for a tool: it explains nothing and never continues another comment. */
const directive = /^\/\/\s*(?:biome-ignore|@ts-|#|eslint)/

/** Comments of a file, in order; line comments on adjacent lines are one. */
export function commentsOf(file: string, text: string): Comment[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const comments: (Comment & { readonly lastLine: number; readonly isLine: boolean })[] = []
  for (const { pos, end, kind } of rangesOf(source, text)) {
    const line = source.getLineAndCharacterOfPosition(pos).line + 1
    const lastLine = source.getLineAndCharacterOfPosition(end).line + 1
    if (directive.test(text.slice(pos, end))) continue
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
  return comments
    .filter(({ text: words }) => /^\p{L}/u.test(words))
    .map(({ line, text: words }) => ({ file, line, text: words }))
}

function rangesOf(source: ts.SourceFile, text: string): ts.CommentRange[] {
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
  return [...found.values()].sort((a, b) => a.pos - b.pos)
}
