/** Regenerates client/api-types.ts from the service's own routes: `npm run client:types`. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { clientTypes } from './client-types.ts'

const file = join(import.meta.dirname, '..', '..', 'client', 'api-types.ts')

writeFileSync(file, await clientTypes())
console.log(file)
