import { readdirSync, readFileSync } from 'node:fs'
import { columnsMost, type Text } from './rules.ts'

/** Documents that people read in a hurry: their sentences are short. */
const shortSentences = ['docs/OPERATIONS.md', 'docs/errors.md']

type Document = { readonly file: string; readonly text: string }

/** Returns README, CONTRIBUTING and the pages of docs/. */
function documents(root: string): Document[] {
  const pages = readdirSync(`${root}docs`).filter((name) => name.endsWith('.md'))
  return ['README.md', 'CONTRIBUTING.md', ...pages.map((name) => `docs/${name}`)].map((file) => ({
    file,
    text: withoutCode(readFileSync(`${root}${file}`, 'utf8')),
  }))
}

/** Blanks code blocks; the numbers of lines stay. */
function withoutCode(text: string): string {
  return text.replaceAll(/^```[\s\S]*?^```/gm, (code) => code.replaceAll(/[^\n]/g, ''))
}

/** Returns lines of prose that are too wide. Tables and lines of one long address are none. */
export function wideLines(root: string): string[] {
  return documents(root).flatMap(({ file, text }) =>
    text.split('\n').flatMap((line, index) => {
      const isProse = !line.startsWith('|') && line.trim().includes(' ')
      const isWide = isProse && [...line].length > columnsMost
      return isWide ? [`${file}:${index + 1}: ${[...line].length} columns`] : []
    }),
  )
}

/** Returns the paragraphs, list items and cells of tables of the documents with short sentences. */
export function hurriedTexts(root: string): Text[] {
  return documents(root)
    .filter(({ file }) => shortSentences.includes(file))
    .flatMap(({ file, text }) =>
      text
        .split(/\n\s*\n|\n(?=\||\s*[-*] |#)/)
        .flatMap((block) => (block.startsWith('|') ? block.split(/(?<!\\)\|/) : [block]))
        .map((part) => ({ place: file, text: part })),
    )
}
