import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { onPath } from '../../infra/setup/cache.mjs'
import { isHeld, withLock } from '../../infra/setup/hold-lock.mjs'

const withFlock = onPath('flock') ? test : test.skip

function makeLock(t: ExecutionContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'farm-lock-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  return join(dir, 'folder', 'a.lock')
}

withFlock('one holder at a time; the next waits and is told', async (t) => {
  const file = makeLock(t)
  const order: string[] = []
  const held = Promise.withResolvers<void>()
  const gate = Promise.withResolvers<void>()
  const first = withLock(file, async () => {
    held.resolve()
    await gate.promise
    order.push('first')
  })
  await held.promise
  t.true(isHeld(file))
  const waiting = Promise.withResolvers<void>()
  const second = withLock(file, async () => void order.push('second'), {
    onWait: () => waiting.resolve(),
  })
  await waiting.promise
  gate.resolve()
  await Promise.all([first, second])
  t.deepEqual(order, ['first', 'second'])
  t.false(isHeld(file))
})

withFlock('work that throws frees the lock', async (t) => {
  const file = makeLock(t)
  await t.throwsAsync(
    withLock(file, () => Promise.reject(new Error('no'))),
    { message: 'no' },
  )
  t.false(isHeld(file))
})

withFlock('a killed holder frees the lock', async (t) => {
  const file = makeLock(t)
  const module = new URL('../../infra/setup/hold-lock.mjs', import.meta.url)
  const script = `import { withLock } from '${module}'
    await withLock(process.argv[1], () => { console.log('held'); return new Promise(() => setInterval(() => {}, 1e6)) })`
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(holder.stdout, 'data')
  t.true(existsSync(file) && isHeld(file))
  holder.kill('SIGKILL')
  await once(holder, 'close')
  await t.notThrowsAsync(withLock(file, async () => undefined))
  t.false(isHeld(file))
})
