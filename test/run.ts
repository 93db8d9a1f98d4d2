// Runs the suite and counts: `test/run.ts [--quick] [FILE...]`. Its last line, whatever happens to
// ava, is `N passed, N failed`. --quick leaves out what takes long, the files *.slow.test.ts.
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const ava = fileURLToPath(new URL('../node_modules/ava/entrypoints/cli.mjs', import.meta.url))

const counts = { passed: 0, failed: 0, skipped: 0 }

/** One line of TAP, counted and made readable. Undefined: nothing that a person wants to see. */
function readLine(line: string): string | undefined {
  const [, not, title = '', directive] =
    /^(not )?ok \d+ - (.*?)(?: # (SKIP|TODO))?$/.exec(line) ?? []
  if (/^(not )?ok \d+ - /.test(line)) {
    if (directive === 'SKIP') {
      counts.skipped += 1
      return `- ${title} (skipped)`
    }
    counts[not ? 'failed' : 'passed'] += 1
    return `${not ? '✘' : '✔'} ${title}`
  }
  return /^(TAP version|1\.\.\d|# (tests|pass|skip|fail) \d|# .* hook$)/.test(line)
    ? undefined
    : line
}

function filesOf(args: readonly string[]): string[] {
  const files = args.filter((arg) => arg !== '--quick')
  return args.includes('--quick') ? ['test/**/*.test.ts', '!test/**/*.slow.test.ts'] : files
}

const running = spawn(process.execPath, [ava, '--tap', ...filesOf(process.argv.slice(2))], {
  cwd: root,
  stdio: ['ignore', 'pipe', 'inherit'],
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => running.kill(signal))

for await (const line of createInterface({ input: running.stdout })) {
  const readable = readLine(line)
  if (readable !== undefined) console.log(readable)
}

const { code, signal } = await new Promise<{ code: number | null; signal: string | null }>(
  (resolve) => {
    if (running.exitCode !== null || running.signalCode !== null) {
      resolve({ code: running.exitCode, signal: running.signalCode })
    } else running.once('exit', (code, signal) => resolve({ code, signal }))
  },
)
if (counts.skipped > 0) console.log(`${counts.skipped} skipped`)
if (counts.failed === 0 && (code !== 0 || counts.passed === 0)) {
  console.log(`ava ended with ${signal ?? `exit code ${code}`} after ${counts.passed} tests`)
  counts.failed = 1
}
process.exitCode = counts.failed === 0 ? 0 : 1
console.log(`${counts.passed} passed, ${counts.failed} failed`)
