// `node infra/plain-words.ts [ROOM]`: measures how our English reads (CONTRIBUTING.md, "How a
// sentence reads"): comments, the API reference, help texts and documents. It lists what breaks a
// rule; with ROOM also each of its comments that opens without a subject.
import { fileURLToPath } from 'node:url'
import { allComments, type Comment } from './plain-words/comments.ts'
import { hurriedTexts, wideLines } from './plain-words/documents.ts'
import { apiTexts, helpTexts } from './plain-words/published.ts'
import {
  headlessOpenings,
  headlessShareMost,
  isHeadless,
  longSentences,
  type Text,
} from './plain-words/rules.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Prints what broke a rule. */
function report(rule: string, faults: readonly string[]): void {
  console.log(`${faults.length}  ${rule}`)
  for (const fault of faults) console.log(`   ${fault}`)
  if (faults.length > 0) process.exitCode = 1
}

function reportPublished(name: string, texts: readonly Text[]): void {
  const headless = texts.filter(({ text }) => isHeadless(text))
  report(
    `${name}: texts that open without a subject or verb`,
    headless.map(({ place, text }) => `${place}: ${text.slice(0, 100)}`),
  )
  report(`${name}: long sentences`, texts.flatMap(longSentences))
}

function reportComments(comments: readonly Comment[], room: string | undefined): void {
  const headless = comments.filter(({ text }) => isHeadless(text))
  for (const { file, line, text } of headless) {
    if (room !== undefined && file.startsWith(room)) {
      console.log(`${file}:${line}  ${text.slice(0, 140)}`)
    }
  }
  for (const [name, list] of Map.groupBy(comments, ({ file }) => file.split('/')[0] ?? '')) {
    const found = list.filter(({ text }) => isHeadless(text)).length
    console.log(`${percent(found / list.length)}  ${name}: ${found} of ${list.length} comments`)
  }
  const share = headless.length / comments.length
  console.log(`${percent(share)}  all: ${headless.length} of ${comments.length} comments`)
  if (share <= headlessShareMost) return
  const most = percent(headlessShareMost)
  console.log(`At most ${most} of the comments may open with: ${headlessOpenings.join(', ')}`)
  process.exitCode = 1
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`
}

reportComments(allComments(root), process.argv[2])
reportPublished('API reference', await apiTexts())
reportPublished('help of the commands', helpTexts())
report('documents: wide lines of prose', wideLines(root))
report('OPERATIONS.md and errors.md: long sentences', hurriedTexts(root).flatMap(longSentences))
