import type { Quote } from '../client/farm-client.ts'
import { quoted } from './strangers-text.ts'
import { type Agent, type ToolResult, text } from './tool.ts'
import { priceText } from './wording.ts'

/**
 * Asks the person whether to render a quote, where the host can. Returns the question or what a no
 * means; undefined: nothing stands in the way. A used quote spends nothing more, so nothing is asked.
 */
export async function askBeforeSpending(
  quoteId: string,
  { farm, signal, person }: Agent,
): Promise<ToolResult | undefined> {
  if (person === undefined) return undefined
  const quote = await farm.quotes.get(quoteId, { signal })
  if (quote.state !== 'open') return undefined
  switch (person.answerAbout(quoteId)) {
    case 'yes':
      return undefined
    case 'no':
      return text(
        `The person said no to quote ${quoteId}. Nothing was rendered and nothing was spent.`,
        'Ask them what to change; the quote holds until it expires.',
      )
    default:
      return { question: { subject: quoteId, text: questionAbout(quote) } }
  }
}

function questionAbout({ kind, name, creditsRequired, creditsMost, duration, exact }: Quote) {
  const what = kind === 'bulk' ? 'the bulk' : duration === 0 ? 'the still' : 'the film'
  const called = name === null ? '' : ` ${quoted(name)}`
  const length = duration === 0 ? '' : `, ${duration} s${kind === 'bulk' ? ' in all' : ''}`
  const open = exact ? '' : ' Media that are not read yet decide the length and the price.'
  return `Render ${what}${called} for ${priceText(creditsRequired, creditsMost)}${length}?${open}`
}
