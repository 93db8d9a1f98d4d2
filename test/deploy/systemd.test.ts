import { readdirSync, readFileSync } from 'node:fs'
import test from 'ava'

const folder = new URL('../../deploy/systemd/', import.meta.url)
const unit = (name: string) => readFileSync(new URL(name, folder), 'utf8').split('\n')

test('every unit runs as a user without new privileges', (t) => {
  t.deepEqual(readdirSync(folder).toSorted(), [
    ...['farm-temporal.service', 'farm-worker.service', 'farm@.service'],
  ])
  for (const name of ['farm-worker.service', 'farm@.service']) {
    const lines = unit(name)
    for (const line of [
      'User=farm',
      'NoNewPrivileges=yes',
      'CapabilityBoundingSet=',
      'UMask=0077',
    ]) {
      t.true(lines.includes(line), `${name} ${line}`)
    }
  }
  t.true(unit('farm-temporal.service').includes('DynamicUser=yes'))
})

test('the worker’s unit leaves /proc and the GPUs uncovered', (t) => {
  const forbidden =
    /^(ProtectKernelTunables|ProtectKernelLogs|RestrictNamespaces|ProtectClock|PrivateDevices)=/
  t.deepEqual(
    unit('farm-worker.service').filter((line) => forbidden.test(line)),
    [],
  )
})
