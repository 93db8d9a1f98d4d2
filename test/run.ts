// Runs the suite and counts: `test/run.ts [--quick] [FILE...]`. Whatever happens to ava, this ends,
// and its last line is `N passed, N failed`, after every failure once more. --quick leaves out what
// takes long, the files *.slow.test.ts. One Postgres serves every file, each with a database of its own.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createMark, endLeftovers } from './leftovers.ts'
import { findCluster, shared } from './store/cluster.ts'
import { createTally } from './tally.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const ava = fileURLToPath(new URL('../node_modules/ava/entrypoints/cli.mjs', import.meta.url))
/** Far above what it takes; below what CI waits for, so that the counts are still printed. */
const suiteLimitMs = 75 * 60_000
/** From the last test to ava's own end. A leftover that holds one of its pipes would keep it alive. */
const farewellMs = 15_000

function filesOf(args: readonly string[]): string[] {
  const files = args.filter((arg) => arg !== '--quick')
  if (!args.includes('--quick')) return files
  // More at a time than the usual two: nothing here is timed, and files wait now and then.
  return ['--concurrency=4', 'test/**/*.test.ts', '!test/**/*.slow.test.ts']
}

const tally = createTally()
const mark = createMark()
const cluster = await findCluster().catch((error: unknown) => {
  // Whatever needs it will try again, and fail by its own name.
  console.error(error)
})
const running = spawn(process.execPath, [ava, '--tap', ...filesOf(process.argv.slice(2))], {
  cwd: root,
  // A group of its own, and no stream of ours: whoever waits for the end of those waits for us only.
  detached: true,
  stdio: ['ignore', 'pipe', 'pipe'],
  env: { ...process.env, ...mark.env, ...(cluster && shared(cluster)) },
})
let ending: string | undefined
const endAll = () => {
  for (const command of endLeftovers(mark)) console.log(`left running, now ended: ${command}`)
}
const end = (why: string | undefined) => {
  ending ??= why
  // First, so that what did not end is named: a test process is called by its file.
  endAll()
  if (running.pid !== undefined) process.kill(-running.pid, 'SIGKILL')
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => end(signal))
const limit = setTimeout(
  () => end(`the suite must end within ${suiteLimitMs / 60_000} minutes`),
  suiteLimitMs,
)

createInterface({ input: running.stdout }).on('line', (line) => {
  const readable = tally.read(line)
  if (readable !== undefined) console.log(readable)
  if (tally.isComplete) setTimeout(() => end(undefined), farewellMs).unref()
})
createInterface({ input: running.stderr }).on('line', (line) => console.error(line))

const { code, signal } = await new Promise<{ code: number | null; signal: string | null }>(
  (resolve) => running.once('exit', (code, signal) => resolve({ code, signal })),
)
clearTimeout(limit)
// What ava wrote last is still on its way to us.
await new Promise((resolve) => setTimeout(resolve, 200))

const { counts, failures } = tally
endAll()
await cluster?.stop().catch((error: unknown) => console.error(error))
if (counts.failed === 0 && (ending !== undefined || counts.passed === 0 || !tally.isComplete)) {
  const how = ending ?? signal ?? `exit code ${code}`
  console.log(`ava ended with ${how} after ${counts.passed} tests`)
  counts.failed = 1
}
if (failures.length > 0) console.log('\nWhat failed, once more:')
for (const lines of failures) console.log(`${lines.join('\n')}\n`)
if (counts.skipped > 0) console.log(`${counts.skipped} skipped`)
console.log(`${counts.passed} passed, ${counts.failed} failed`)
process.exit(counts.failed === 0 ? 0 : 1)
