import type { QuoteRequest } from '../../client/farm-client.ts'
import { overCapLines } from '../caps.ts'
import { originOf, type Source, sourceShape } from '../source.ts'
import { hints, object, text, tool } from '../tool.ts'
import { priceText, warningLines } from '../wording.ts'

export const quoteRender = tool<Source>({
  name: 'quote_render',
  title: 'Quote a render',
  description:
    'Fixes the price of a render for 15 minutes and returns a quote id. Free. Show it to the person, then render.',
  hints: hints.setsOnce,
  input: object(sourceShape),
  async run(source, { farm, connection, signal }) {
    const { variables, overrides } = source
    const settings = { ...(variables && { variables }), ...(overrides && { overrides }) }
    const request = { ...originOf(source), ...settings } as QuoteRequest
    const quote = await farm.quotes.create(request, { signal })
    const { id, creditsRequired, creditsMost, duration, expiresAt, warnings } = quote
    return text(
      `Quote ${id}: ${priceText(creditsRequired, creditsMost)}, ${duration} s, holds until ${expiresAt}.`,
      ...(quote.exact ? [] : ['Media that are not read yet decide the length and the price.']),
      ...overCapLines({ dearest: creditsMost, creditsMost }, connection),
      ...warningLines(warnings),
    )
  },
})
