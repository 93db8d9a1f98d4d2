import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import test from 'ava'

const main = join(import.meta.dirname, '..', '..', 'cli', 'main.ts')

/** Starts a role that awaits its settings. @returns its exit code and output, once it has read `input` */
async function roleThatReads(input: string): Promise<{ code: number | null; said: string }> {
  const { FARM_PUBLIC_URL, ...env } = process.env
  const role = spawn(process.execPath, [main, 'scheduler', '--settings-on-stdin'], {
    env: { ...env, FARM_OBJECTS: 'file:///nowhere' },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  role.stdin.end(input)
  const [[code], said] = await Promise.all([once(role, 'close'), text(role.stderr)])
  return { code, said }
}

test('a role whose farm is gone before its database stands ends quietly', async (t) => {
  t.deepEqual(await roleThatReads(''), { code: 0, said: '' })
})

test('a role heeds late settings as those of its environment', async (t) => {
  const { code, said } = await roleThatReads(
    '{"DATABASE_URL":"postgres://nobody@localhost/farm","FARM_PUBLIC_URL":"ftp://elsewhere"}\n',
  )
  t.is(code, 2)
  t.is(said, 'farm: FARM_PUBLIC_URL must be an http(s) URL. Got "ftp://elsewhere"\n')
})
