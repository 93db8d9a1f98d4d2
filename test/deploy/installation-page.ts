import { readFileSync } from 'node:fs'

/** Texts of the shell blocks in a section of docs/installation.md, in the page's order. */
export function shellBlocks(section: string): string[] {
  const page = readFileSync(new URL('../../docs/installation.md', import.meta.url), 'utf8')
  const [, text = ''] = page.split(`\n## ${section}\n`)
  const [own = ''] = text.split('\n## ')
  return [...own.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
}
