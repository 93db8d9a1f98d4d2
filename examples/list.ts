import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Example = {
  readonly name: string
  readonly file: string
  /** Override the project's own. */
  readonly variables: Record<string, unknown>
}

/**
 * Lists every example: a folder with a `project.json`. A `variants.json` beside it, a list of
 * variables, makes one example for each entry, named after the first of its variables.
 */
export function listExamples(): Example[] {
  return readdirSync(import.meta.dirname)
    .toSorted()
    .flatMap((folder) => {
      const file = join(import.meta.dirname, folder, 'project.json')
      if (!existsSync(file)) return []
      return variantsOf(join(file, '..', 'variants.json')).map((variables) => {
        const name = [folder, ...Object.values(variables).slice(0, 1)].join('-')
        return { name, file, variables }
      })
    })
}

function variantsOf(file: string): Record<string, unknown>[] {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : [{}]
}
