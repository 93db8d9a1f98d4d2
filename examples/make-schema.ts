/** Regenerates examples/schema.json from the language: `npm run examples:schema`. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectFileSchema } from './project-file-schema.ts'

const file = join(import.meta.dirname, 'schema.json')
const biome = join(import.meta.dirname, '..', 'node_modules', '.bin', 'biome')

writeFileSync(file, JSON.stringify(projectFileSchema()))
execFileSync(biome, ['format', '--write', file], { stdio: 'ignore' })
console.log(file)
