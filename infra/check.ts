// `npm run check`: types, lint, boundaries, unused code, plain words and the wire contract. All of
// them run, so that one round shows every fault.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

type Check = { readonly name: string; readonly command: readonly string[] }

function run([program = '', ...args]: readonly string[]) {
  return spawnSync(program, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${root}node_modules/.bin:${process.env.PATH}` },
  })
}

/** The contract may only grow. The comparison needs a main that has it. */
function breakingCheck(): readonly Check[] {
  if (run(['git', 'cat-file', '-e', 'main:proto']).status !== 0) {
    console.log('-  buf breaking: skipped, there is no branch main with a proto/ to compare with')
    return []
  }
  return [{ name: 'buf breaking', command: ['buf', 'breaking', '--against', '.git#branch=main'] }]
}

const checks: readonly Check[] = [
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'types of the client', command: ['tsc', '--noEmit', '-p', 'client'] },
  { name: 'types of the dashboard', command: ['tsc', '--noEmit', '-p', 'dashboard'] },
  { name: 'lint', command: ['biome', 'check', '--error-on-warnings', '.'] },
  { name: 'boundaries', command: ['depcruise', '--config', '.dependency-cruiser.cjs', '.'] },
  { name: 'folder sizes', command: ['node', 'infra/folder-sizes.ts'] },
  { name: 'unused code', command: ['knip'] },
  { name: 'plain words', command: ['node', 'infra/plain-words.ts'] },
  { name: 'buf lint', command: ['buf', 'lint'] },
  ...breakingCheck(),
]

for (const { name, command } of checks) {
  const began = Date.now()
  const { status, stdout, stderr } = run(command)
  const seconds = ((Date.now() - began) / 1000).toFixed(1)
  console.log(`${status === 0 ? '✔' : '✘'}  ${name} (${seconds} s)`)
  if (status === 0) continue
  process.exitCode = 1
  console.log(`${stdout ?? ''}${stderr ?? ''}`)
}
