// `npm run histories NAME`: records a history of each kind of workflow under test/workflows/histories/NAME.
import { existsSync } from 'node:fs'
import { recordDeliveries } from './deliveries.ts'
import { recordFarm } from './farm.ts'
import { createRecorder } from './recorder.ts'
import { recordTroubles } from './troubles.ts'

const [version = ''] = process.argv.slice(2)
if (!/^[a-z0-9][a-z0-9.-]*$/.test(version)) {
  throw new Error(`Name what is recorded, as in \`npm run histories 0.2.0\`. Got "${version}"`)
}
if (existsSync(new URL(`../histories/${version}`, import.meta.url))) {
  throw new Error(`Histories are recorded once and then kept. There are some of ${version}`)
}
const recorder = createRecorder(version)
// First, because its parts install Temporal's runtime.
await recordDeliveries(recorder)
await recordTroubles(recorder)
await recordFarm(recorder)
recorder.end()
