/** Rules of CONTRIBUTING.md ("How a sentence reads") that a program can measure. */

/** Openings that make a reader start over: neither subject nor verb is where it is looked for. */
export const headlessOpenings = [
  ...['What', 'Who', 'Whom', 'Whose', 'Which', 'Where', 'Whether', 'How', 'Why', 'That', 'Those'],
  ...['Of', 'In', 'On', 'At', 'By', 'For', 'From', 'With', 'Without', 'Within', 'Until', 'To'],
  ...['Under', 'Over', 'Between', 'Among', 'Beside', 'Behind', 'Beyond', 'Into', 'Through', 'As'],
]

/** Most comments that may open so. Published texts may not at all. */
export const headlessShareMost = 0.04
/** Most words of a sentence in a published text. */
const wordsMost = 30
/** Most columns of a line of prose in a document. */
export const columnsMost = 120

const opening = new RegExp(`^(?:${headlessOpenings.join('|')})\\b`, 'i')

export function isHeadless(text: string): boolean {
  return opening.test(text)
}

/** A text as its readers find it, with its place for the one who mends it. */
export type Text = { readonly place: string; readonly text: string }

/** Returns the sentences that are too long, as lines to print. */
export function longSentences({ place, text }: Text): string[] {
  return sentencesOf(text)
    .filter((sentence) => wordsIn(sentence) > wordsMost)
    .map((sentence) => `${place}: ${wordsIn(sentence)} words: ${sentence.slice(0, 160)}`)
}

/** Splits at full stops and list items. Code counts as one word, and code blocks not at all. */
function sentencesOf(text: string): string[] {
  return text
    .replaceAll(/```[\s\S]*?```/g, '')
    .replaceAll(/`[^`]*`/g, 'CODE')
    .split(/(?<=[.!?]["')*]*)\s+|\n\s*(?:[-*]|\d+\.)\s|\n\s*\n/)
    .map((sentence) => sentence.replaceAll(/\s+/g, ' ').trim())
}

function wordsIn(sentence: string): number {
  return sentence.split(' ').filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}
