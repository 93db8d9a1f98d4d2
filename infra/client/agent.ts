/** Writes the stdio server for agents as a package, for `npm i`: `npm run agent:build`. */
import { join } from 'node:path'
import { buildAgent } from './build-agent.ts'

const folder = join(import.meta.dirname, '..', '..', 'out', 'agent')

buildAgent(folder)
console.log(folder)
