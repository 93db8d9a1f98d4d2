import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import test from 'ava'

const run = promisify(execFile)
const pngs = new URL('../../../worker/png/pngs.ts', import.meta.url)

/** Output of a process of its own, to its end. */
async function written(program: string): Promise<string> {
  const script = `import { createPngs } from '${pngs}'\nconst pngs = createPngs(1)\n${program}`
  const { stdout } = await run(process.execPath, ['-e', script], { timeout: 30_000 })
  return stdout.trim()
}

const picture = (pixels: string) => `{ pixels: ${pixels}, width: 1, height: 1, channels: 4 }`

test('a process ends when its threads have answered', async (t) => {
  const asked = `pngs.write(${picture('Buffer.alloc(4)')}, 'a')`
  t.is(await written(`console.log((await ${asked}).length > 0)`), 'true')
})

test('a value that cannot be sent to a thread fails alone', async (t) => {
  const odd = `const odd = { ...${picture('Buffer.alloc(4)')}, call: () => 0 }`
  const first = `await pngs.write(odd, 'a').catch(({ name }) => console.log(name))`
  const second = `console.log((await pngs.write(${picture('Buffer.alloc(4)')}, 'a')).length > 0)`
  t.is(await written([odd, first, second].join('\n')), 'DataCloneError\ntrue')
  t.is(await written([odd, first].join('\n')), 'DataCloneError')
})
