import { readFileSync } from 'node:fs'
import test from 'ava'
import { createFarmClient } from '../../client/farm-client.ts'

const page = readFileSync(new URL('../../docs/client.md', import.meta.url), 'utf8')

test('docs/client.md names every method of the client', (t) => {
  const client = createFarmClient({ url: 'https://farm.example', apiKey: `svc_${'0'.repeat(64)}` })
  for (const [name, member] of Object.entries(client)) {
    if (typeof member === 'function') {
      t.true(page.includes(`\`${name}\``), name)
      continue
    }
    const row = page.split('\n').find((line) => line.startsWith(`| \`${name}\``)) ?? ''
    const told = [
      ...row
        .split(' | ')
        .slice(1)
        .join()
        .matchAll(/`(\w+)`/g),
    ].map(([, each]) => each)
    t.deepEqual(told.sort(), Object.keys(member).sort(), name)
  }
})
