/** Regenerates the types of both APIs from the service's own routes: `npm run client:types`. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientFile, clientTypes, operatorFile, operatorTypes } from './client-types.ts'

const root = join(import.meta.dirname, '..', '..')

for (const [name, text] of [
  [clientFile, await clientTypes()],
  [operatorFile, await operatorTypes()],
] as const) {
  const file = join(root, name)
  writeFileSync(file, text)
  console.log(file)
}
