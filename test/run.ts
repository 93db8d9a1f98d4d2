// Runs the suite and counts: `test/run.ts [--quick] [FILE...]`. It always ends, and its last line
// is `N passed, N failed`, after a list of the failures. --quick leaves out the slow files
// *.slow.test.ts. One Postgres serves every file, each with a database of its own.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createMark, endLeftovers } from './leftovers.ts'
import { findCluster, shared } from './store/cluster.ts'
import { createTally } from './tally.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const ava = fileURLToPath(new URL('../node_modules/ava/entrypoints/cli.mjs', import.meta.url))
/** Far above the usual duration; below CI's limit, so that the counts are still printed. */
const suiteLimitMs = 75 * 60_000
/**
 * Time from the last test to ava's own end. A leftover that holds one of its pipes would keep it
 * alive.
 */
const farewellMs = 15_000

function filesOf(args: readonly string[]): string[] {
  const files = args.filter((arg) => arg !== '--quick')
  if (!args.includes('--quick')) return files
  // More at a time than the usual two: nothing here is timed, and files wait at times.
  return ['--concurrency=4', 'test/**/*.test.ts', '!test/**/*.slow.test.ts']
}

const tally = createTally()
const mark = createMark()
const cluster = await findCluster().catch((error: unknown) => {
  // Tests that need it try again, and fail under their own names.
  console.error(error)
})
const running = spawn(process.execPath, [ava, '--tap', ...filesOf(process.argv.slice(2))], {
  cwd: root,
  // A group and streams of its own: a caller that waits for the end of streams waits only for this
  // process.
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
  // Ended first, so that unfinished tests are named: a test process is called by its file.
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
// Gives ava's last output time to arrive.
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
