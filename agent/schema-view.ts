import type { ElementDescription } from '../client/farm-client.ts'
import { InputRefused } from './source.ts'
import { quoted } from './strangers-text.ts'
import type { Agent } from './tool.ts'

/**
 * Returns lines about one part of the language: its fields, their rules, an example. A part is found
 * by the name of its field, too, such as `chromaKey`.
 * @throws InputRefused for an unknown part
 */
export async function describePart(
  part: string,
  { farm, signal }: Pick<Agent, 'farm' | 'signal'>,
): Promise<readonly string[]> {
  const parts = await farm.authoring.parts({ signal })
  const found = parts.find(({ type }) => bare(type) === bare(part))
  if (found) return linesOf(found)
  const known = parts.map(({ type }) => type).join(', ')
  throw new InputRefused(
    `part must be one of ${known}. Got ${quoted(part)}. Call get_schema without part to see what each describes.`,
  )
}

const bare = (name: string) => name.replaceAll('_', '').toUpperCase()

function linesOf({
  type,
  place,
  summary,
  fields,
  notes,
  example,
}: ElementDescription): readonly string[] {
  const literal = fields.filter(({ placeholder }) => !placeholder).map(({ name }) => name)
  return [
    `${type}, in ${place}: ${summary}. * = required, → = the part to read.`,
    ...fields.map(lineOf),
    ...(literal.length > 0 ? [`No {{ name }} in ${literal.join(', ')}.`] : []),
    ...notes,
    `Example: ${JSON.stringify(example)}`,
  ]
}

/** Longest rule that is told beside the part that has it, too. */
const longestRule = 120

function lineOf({ name, required, rule, parts }: ElementDescription['fields'][number]): string {
  const reading = parts.length > 0 ? `→ ${parts.join(', ')}` : ''
  const told = reading !== '' && rule.length > longestRule ? '' : rule
  return `- ${name}${required ? '*' : ''}: ${[told, reading].filter(Boolean).join(' ')}`
}
