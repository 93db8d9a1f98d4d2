import { readFileSync } from 'node:fs'
import test from 'ava'
import { missingEntries } from '../../infra/setup/lock.mjs'

test('package-lock.json names every platform’s packages, so `npm ci` works on each', (t) => {
  const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'))
  t.deepEqual(missingEntries(lock), {}, 'run `npm run lock`')
})

test('a platform package that the lock lacks is found, with its platform', (t) => {
  const packages = {
    'node_modules/paint': {
      optionalDependencies: {
        '@paint/darwin-arm64': '1.2.3',
        '@paint/linux-x64-musl': '1.2.3',
        '@paint/linux-x64-gnu': '1.2.3',
        fsevents: '~2.3.2',
      },
    },
    'node_modules/@paint/linux-x64-gnu': {},
  }
  const { version, optional } = { version: '1.2.3', optional: true }
  t.like(missingEntries({ packages }), {
    'node_modules/@paint/darwin-arm64': { version, os: ['darwin'], cpu: ['arm64'], optional },
    'node_modules/@paint/linux-x64-musl': { version, libc: ['musl'], optional },
  })
  t.is(Object.keys(missingEntries({ packages })).length, 2)
})
