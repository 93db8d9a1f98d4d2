// Runs the fuzzing of schemathesis.slow.test.ts for longer, by hand: `npm run fuzz [SECONDS [SEED]]
// [OPTION...]`.
import { fuzzGateway } from './fuzzed-gateway.ts'

const [seconds = '600', seed = '1', ...more] = process.argv.slice(2)
const { code, report } = await fuzzGateway({ seconds: Number(seconds), seed: Number(seed), more })
console.log(report)
process.exit(code ?? 1)
