import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { openApiDocument } from './openapi-document.ts'
import { typesOf } from './types-of.ts'

const biome = join(import.meta.dirname, '..', '..', 'node_modules', '.bin', 'biome')

export const clientFile = 'client/api-types.ts'
export const operatorFile = 'dashboard/src/farm/api/operator-types.ts'

/** Generates the expected text of `clientFile`, formatted. */
export async function clientTypes(): Promise<string> {
  return formatted(typesOf(await openApiDocument()), clientFile)
}

/** Generates the expected text of `operatorFile`: what operators' pages read and send. */
export async function operatorTypes(): Promise<string> {
  return formatted(typesOf(await openApiDocument('/api/operator/openapi.json')), operatorFile)
}

function formatted(input: string, file: string): string {
  const args = ['format', `--stdin-file-path=${file}`]
  return execFileSync(biome, args, { input, encoding: 'utf8' })
}
