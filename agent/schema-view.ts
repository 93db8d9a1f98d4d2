import type { ElementDescription } from '../client/farm-client.ts'
import { InputRefused } from './source.ts'
import { quoted } from './strangers-text.ts'
import type { Agent } from './tool.ts'

/**
 * Returns lines about one part of the language: its fields, their rules, an example.
 * @throws InputRefused for an unknown part
 */
export async function describePart(
  part: string,
  { farm, signal }: Pick<Agent, 'farm' | 'signal'>,
): Promise<readonly string[]> {
  const elements = await farm.authoring.elements({ signal })
  const found = elements.find(({ type }) => type === part.toUpperCase())
  if (found) return linesOf(found)
  const known = elements.map(({ type }) => type).join(', ')
  throw new InputRefused(`part must be one of ${known}. Got ${quoted(part)}.`)
}

function linesOf({ type, place, fields, example }: ElementDescription): readonly string[] {
  return [
    `${type}, in ${place}. * = required.`,
    ...fields.map(({ name, required, rule }) => `- ${name}${required ? '*' : ''}: ${rule}`),
    `Example: ${JSON.stringify(example)}`,
  ]
}
