// The list of docs/decisions/README.md, generated from the head of each decision:
// `npm run docs:decisions` writes it.
import { readdirSync, readFileSync } from 'node:fs'
import { type GeneratedSection, writeSection } from './generated-section.ts'

const folder = new URL('../../docs/decisions/', import.meta.url)

/** A decision begins with `# NUMBER: TITLE` and a table of its area, status and gain. */
const head =
  /^# (\d{4}): (.+)\n\n\| area \| status \| gain \|\n\|---\|---\|---\|\n\| (.+) \| (.+) \| (.+) \|\n/

export const decisionsSection: GeneratedSection = {
  ...{ page: 'decisions/README.md', name: 'decisions', script: 'docs:decisions' },
  generate() {
    const files = readdirSync(folder).filter((file) => /^\d/.test(file))
    return [
      '| no. | decision | area | status | gain |',
      '|---|---|---|---|---|',
      ...files.map(rowOf),
    ].join('\n')
  },
}

function rowOf(file: string): string {
  const [, number = '', ...rest] = head.exec(readFileSync(new URL(file, folder), 'utf8')) ?? []
  const [title, area, status = '', gain] = rest
  if (!file.startsWith(`${number}-`) || number === '') {
    throw new Error(`docs/decisions/${file} must begin with its number, title and table`)
  }
  return `| ${number} | [${title}](${file}) | ${area} | ${linked(status, number)} | ${gain} |`
}

/** Links the numbers of other decisions. */
function linked(status: string, own: string): string {
  return status.replaceAll(/\b\d{4}\b/g, (number) => {
    const file = readdirSync(folder).find((each) => each.startsWith(`${number}-`))
    if (file === undefined || number === own) throw new Error(`${own} names decision ${number}`)
    return `[${number}](${file})`
  })
}

if (import.meta.main) await writeSection(decisionsSection)
