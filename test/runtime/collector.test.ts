import { spawnSync } from 'node:child_process'
import test from 'ava'
import { collectorFlag } from '../../runtime/collector.ts'

test('Node knows what the farm asks of its collector', (t) => {
  const run = (flag: string) => spawnSync(process.execPath, [flag, '--eval', '0']).status
  t.is(run(collectorFlag), 0)
  t.not(run(`${collectorFlag}-at-all`), 0)
})
