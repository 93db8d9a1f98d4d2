import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { openApiDocument } from './openapi-document.ts'
import { typesOf } from './types-of.ts'

const biome = join(import.meta.dirname, '..', '..', 'node_modules', '.bin', 'biome')

/** Generates the expected text of client/api-types.ts, formatted. */
export async function clientTypes(): Promise<string> {
  const input = typesOf(await openApiDocument())
  const args = ['format', '--stdin-file-path=client/api-types.ts']
  return execFileSync(biome, args, { input, encoding: 'utf8' })
}
