// Breaks a whole farm and checks the result: `npm run chaos -- [--seconds 60] [--seed N]`. Exit
// code 1 when a promise was broken.
import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { runChaos } from './chaos.ts'
import { writeReport } from './report.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string' } },
})
const read = (name: string, text: string, min: number) => {
  const value = Number(text)
  if (Number.isInteger(value) && value >= min) return value
  throw new Error(`--${name} must be an integer >= ${min}. Got ${text}`)
}
const seconds = read('seconds', values.seconds, 30)
const seed = read('seed', values.seed ?? String(randomInt(1_000_000)), 0)

console.log(
  `Seed ${seed}; the same faults again: npm run chaos -- --seconds ${seconds} --seed ${seed}`,
)
const verdict = await runChaos({ seconds, seed, say: (line) => console.log(line) })
console.log(writeReport(verdict))
process.exit(verdict.checks.some(({ broken }) => broken.length > 0) ? 1 : 0)
