import { spawnSync } from 'node:child_process'
import test from 'ava'
import { buffersApart, collectNow, roomToGrow } from '../../runtime/collector.ts'

test('Node knows what the farm asks of its collector', (t) => {
  const run = (flag: string) => spawnSync(process.execPath, [flag, '--eval', '0']).status
  t.is(run(roomToGrow), 0)
  t.is(run(buffersApart), 0)
  t.not(run(`${buffersApart}-at-all`), 0)
})

test('a process can be made to look through all objects at once', async (t) => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const registry = new FinalizationRegistry(() => resolve())
  registry.register({ of: Buffer.alloc(1) }, undefined)
  await new Promise((turn) => setImmediate(turn))
  collectNow()
  await promise
  t.pass()
})
