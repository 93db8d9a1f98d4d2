// `npm run fuzz [SECONDS [SEED]] [OPTION...]`: the longer run by hand of what schemathesis.slow.test.ts does in a minute.
import { fuzzGateway } from './fuzzed-gateway.ts'

const [seconds = '600', seed = '1', ...more] = process.argv.slice(2)
const { code, report } = await fuzzGateway({ seconds: Number(seconds), seed: Number(seed), more })
console.log(report)
process.exit(code ?? 1)
