import { spawnSync } from 'node:child_process'
import test from 'ava'
import { buffersApart, roomToGrow } from '../../runtime/collector.ts'

test('Node knows what the farm asks of its collector', (t) => {
  const run = (flag: string) => spawnSync(process.execPath, [flag, '--eval', '0']).status
  t.is(run(roomToGrow), 0)
  t.is(run(buffersApart), 0)
  t.not(run(`${buffersApart}-at-all`), 0)
})
