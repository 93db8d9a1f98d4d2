/** Writes the client as a package of plain JavaScript, for `npm i`: `npm run client:build`. */
import { join } from 'node:path'
import { buildClient } from './build-client.ts'

const folder = join(import.meta.dirname, '..', '..', 'out', 'client')

buildClient(folder)
console.log(folder)
