import type { QuoteRequest } from '../../client/farm-client.ts'
import { overCapLines } from '../caps.ts'
import { InputRefused, originOf, type Source } from '../source.ts'
import { anyObject, hints, object, string, text, tool } from '../tool.ts'
import { counted, faultLines, priceText, warningLines } from '../wording.ts'

type Bulk = Pick<Source, 'draft' | 'template' | 'variables' | 'overrides'> & {
  readonly name?: string
  readonly items: readonly object[]
}

export const quoteBulk = tool<Bulk>({
  name: 'quote_bulk',
  title: 'Quote a bulk',
  description:
    'Fixes the price of rendering one template or draft for many items; faults by index. Free. Then render_bulk.',
  hints: hints.setsOnce,
  input: object({
    'draft?': string(),
    'template?': string(),
    'name?': string(),
    'variables?': anyObject,
    'overrides?': anyObject,
    items: { type: 'array', items: object({ 'name?': string(), 'variables?': anyObject }) },
  }),
  async run({ items, name, variables, overrides, ...source }, { farm, connection, signal }) {
    if (items.length > connection.bulkCap) {
      throw new InputRefused(
        `items must be at most ${connection.bulkCap} on this connection. Got ${items.length}. Send several bulks, or ask the person to raise the cap.`,
      )
    }
    const settings = {
      ...(name !== undefined && { name }),
      ...(variables && { variables }),
      ...(overrides && { overrides }),
    }
    const request = { ...originOf(source), ...settings, items } as QuoteRequest
    const quote = await farm.quotes.create(request, { signal })
    const { id, creditsRequired, creditsMost, duration, expiresAt, errors, itemWarnings } = quote
    const faults = errors.flatMap(({ index, details }) =>
      details.map(({ field, message }) => ({ field: `items[${index}] ${field}`.trim(), message })),
    )
    const warnings = itemWarnings.map(({ field, message, items: count }) => ({
      ...{ field, message: `${counted(count, 'item')}: ${message}` },
    }))
    return text(
      `Quote ${id}: ${items.length - errors.length} of ${counted(items.length, 'item')}, ${priceText(creditsRequired, creditsMost)}, ${duration} s in all, holds until ${expiresAt}.`,
      ...overCapLines({ creditsMost }, connection),
      ...(faults.length === 0 ? [] : ['Left out:', ...faultLines(faults)]),
      ...warningLines(warnings),
    )
  },
})
