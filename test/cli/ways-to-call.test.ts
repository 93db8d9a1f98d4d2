import test from 'ava'
import { farm } from './run-farm.ts'

const checkout = new URL('../..', import.meta.url).pathname

// `--` keeps npm from reading the farm's options.
for (const command of [
  ['npx', '--no-install', 'farm'],
  ['npm', 'run', '--silent', 'farm', '--'],
]) {
  test(`\`${command.join(' ')}\` is the farm, with its exit code`, async (t) => {
    const surroundings = { command, cwd: checkout }
    const help = await farm(['render', '--help'], surroundings)
    t.is(help.code, 0, help.err)
    t.regex(help.out, /^Usage: farm render \[options\] <file>$/m)
    const wrong = await farm(['render', 'x.json', '--var', 'a'], surroundings)
    t.is(wrong.code, 2)
    t.regex(wrong.err, /must look like name=value\. Got a/)
  })
}
