import type { FarmClient } from '../client/farm-client.ts'

/** Texts that a host can read without calling a tool. */

export const guidelines = `# How to make a film here

1. Look for an example (find_examples) and copy it: save_draft {name, from}.
2. Change it by edit_draft: a JSON Patch whose paths start at the project. Read the part that you write with get_schema.
3. check_project lists every fault by path, the warnings, the price and the length. repair_draft mends what has one meaning.
4. quote_render fixes the price for 15 minutes. Show it to the person.
5. render {quote} makes the film once; repeat it as often as you like. get_render {id, wait} tells of longer ones.

- Times are seconds, sizes are pixels, (0, 0) is the upper left corner.
- Media are public https addresses.
- Texts may hold {{ name }}; variables give the values, and a template or bulk replaces them.
- Numbers of scenes, seconds and pixels are limited by the plan: get_account.
`

/** Describes a part of the language as text. */
export async function schemaText(farm: FarmClient, part: string): Promise<string> {
  const elements = await farm.authoring.elements()
  const found = elements.find(({ type }) => type === part.toUpperCase())
  if (!found) return `The parts are ${elements.map(({ type }) => type).join(', ')}.`
  const { type, summary, place, fields, example } = found
  return [
    `# ${type}`,
    `${summary}. It stands in ${place}.`,
    ...fields.map(
      ({ name, required, rule }) => `- ${name}${required ? ' (required)' : ''}: ${rule}`,
    ),
    `Example: \`${JSON.stringify(example)}\``,
  ].join('\n')
}
