import { captionLimits } from '../captions/caption.ts'
import { countUnspaced, wordsIn } from '../captions/words.ts'
import { isRecord } from './check.ts'
import { childOf } from './report.ts'
import { inOrder, limitNumber, numberOf, type RuleContext } from './rule-words.ts'

type Item = Readonly<Record<string, unknown>>

/** Properties that exclude `styles`, the older flat form. */
const presentForm = [
  ...['animation', 'direction', 'font', 'stroke', 'background', 'activeWord', 'position', 'margin'],
]

/** Checks a subtitle of a filled tree: one form of its looks, and captions and words with ends. */
export function checkSubtitle(subtitle: Item, path: string, context: RuleContext): void {
  const both = presentForm.filter((key) => Object.hasOwn(subtitle, key))
  if (Object.hasOwn(subtitle, 'styles') && both.length > 0) {
    const rule = `styles must not be given together with ${presentForm.join(', ')}.`
    context.report.add(childOf(path, 'styles'), `${rule} Got ${both.join(', ')}.`)
  }
  for (const key of ['margin', 'styles']) {
    const margin = subtitle[key]
    if (!isRecord(margin)) continue
    for (const way of ['x', 'y', 'marginH', 'marginV']) {
      limitNumber(margin, way, `${path}.${key}`, { ...context, max: 'positionPx' })
    }
  }
  checkAmount(listOf(subtitle.captions), `${path}.captions`, context)
  for (const [i, caption] of listOf(subtitle.captions).entries()) {
    const at = `${path}.captions[${i}]`
    for (const key of ['start', 'end']) {
      limitNumber(caption, key, at, { ...context, max: 'durationSeconds' })
    }
    const [start, end] = [numberOf(caption, 'start'), numberOf(caption, 'end')]
    if (start !== undefined && end !== undefined && end <= start) {
      context.report.add(`${at}.end`, `end must be > start. Got ${end}, but start is ${start}.`)
    }
    for (const [n, word] of listOf(caption.words).entries()) {
      inOrder(word, ['start', 'end'], `${at}.words[${n}]`, context)
    }
  }
}

/** Limits the captions and words, as each word may become a picture of its own. */
function checkAmount(captions: readonly Item[], path: string, { report }: RuleContext): void {
  if (captions.length > captionLimits.captions) {
    const rule = `A subtitle must have <= ${captionLimits.captions} captions.`
    report.add(path, `${rule} Got ${captions.length}.`)
    return
  }
  const words = captions.map(({ words, text }) => {
    const own = listOf(words).length
    return own === 0 && typeof text === 'string' ? wordsIn(text).length : own
  })
  const total = words.reduce((sum, count) => sum + count, 0)
  if (total > captionLimits.words) {
    const rule = `A subtitle must have <= ${captionLimits.words} words.`
    report.add(path, `${rule} Got ${total}.`)
    return
  }
  let unspaced = 0
  for (const { words, text } of captions) {
    if (listOf(words).length > 0 || typeof text !== 'string') continue
    unspaced += countUnspaced(text)
    if (unspaced <= captionLimits.unspacedLetters) continue
    const rule = `A subtitle must have <= ${captionLimits.unspacedLetters} letters`
    report.add(path, `${rule} of scripts without spaces. Got more.`)
    return
  }
  const most = captionLimits.textCharacters / 2
  for (const [i, count] of words.entries()) {
    if (count <= most) continue
    report.add(`${path}[${i}].words`, `A caption must have <= ${most} words. Got ${count}.`)
  }
}

function listOf(value: unknown): Item[] {
  return Array.isArray(value) ? value.filter(isRecord) : []
}
