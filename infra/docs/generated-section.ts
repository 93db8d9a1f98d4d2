// A generated section of a page stands between two marks; a test compares it with its generator.
import { readFileSync, writeFileSync } from 'node:fs'

const docs = new URL('../../docs/', import.meta.url)

export type GeneratedSection = {
  /** File under docs/. */
  readonly page: string
  readonly name: string
  /** npm script that writes the section. */
  readonly script: string
  generate(): string | Promise<string>
}

function marksOf({ name, script }: GeneratedSection): readonly [string, string] {
  return [`<!-- ${name}: made by npm run ${script} -->`, `<!-- ${name} end -->`]
}

/** Generates the section with its marks. */
export async function expectedSection(section: GeneratedSection): Promise<string> {
  const [begin, end] = marksOf(section)
  return [begin, '', (await section.generate()).trim(), '', end].join('\n')
}

/** Returns the section as committed, with its marks. @throws Error for a page without them */
export function writtenSection(section: GeneratedSection): string {
  const text = readFileSync(new URL(section.page, docs), 'utf8')
  const [begin, end] = marksOf(section)
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`docs/${section.page} must have the mark ${begin}`)
  return text.slice(from, to + end.length)
}

/** Replaces the section in its page. */
export async function writeSection(section: GeneratedSection): Promise<void> {
  const file = new URL(section.page, docs)
  const [written, expected] = [writtenSection(section), await expectedSection(section)]
  writeFileSync(
    file,
    readFileSync(file, 'utf8').replace(written, () => expected),
  )
}
