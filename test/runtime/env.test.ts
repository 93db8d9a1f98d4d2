import test from 'ava'
import {
  EnvError,
  readBaseUrl,
  readChoice,
  readInteger,
  readListenAddress,
  readSecret,
  readText,
  readTrustedHosts,
} from '../../runtime/env.ts'

test('a missing or false setting is named with rule and value', (t) => {
  const cases: [() => unknown, string][] = [
    [() => readText({}, 'DATABASE_URL', 'a URL'), 'DATABASE_URL must be a URL. Got nothing'],
    [
      () => readInteger({ P: 'x' }, 'P', { min: 0, max: 9 }),
      'P must be an integer from 0 to 9. Got "x"',
    ],
    [
      () => readInteger({ P: '10' }, 'P', { min: 0, max: 9 }),
      'P must be an integer from 0 to 9. Got "10"',
    ],
    [
      () => readListenAddress({ A: 'localhost:80' }, 'A', ''),
      'A must be IP:port, as 127.0.0.1:9470 (port 0: any free one). Got "localhost:80"',
    ],
    [
      () => readListenAddress({ A: '127.0.0.1:99999' }, 'A', ''),
      'A must be IP:port, as 127.0.0.1:9470 (port 0: any free one). Got "127.0.0.1:99999"',
    ],
    [() => readChoice({ C: 'x' }, 'C', ['a', 'b'], 'a'), 'C must be one of a, b. Got "x"'],
    [() => readBaseUrl({ U: 'ftp://x' }, 'U'), 'U must be an http(s) URL. Got "ftp://x"'],
    [
      () => readTrustedHosts({ FARM_TRUSTED_HOSTS: 'localhost' }),
      'FARM_TRUSTED_HOSTS must be a comma-separated list of host:port. Got "localhost"',
    ],
    [
      () => readTrustedHosts({ FARM_TRUSTED_HOSTS: 'localhost:80', FARM_ENV: 'production' }),
      'FARM_TRUSTED_HOSTS must be empty when FARM_ENV is production. Got "localhost:80"',
    ],
  ]
  for (const [read, message] of cases) t.throws(read, { instanceOf: EnvError, message })
})

test('a secret is never repeated', (t) => {
  const error = t.throws(() => readSecret({ S: 'hunter2' }, 'S', 16))
  t.false(error.message.includes('hunter2'))
})

test('values are read as what they are', (t) => {
  t.is(readInteger({ P: '' }, 'P', { min: 0, max: 9, fallback: 3 }), 3)
  t.is(readInteger({ P: '0' }, 'P', { min: 0, max: 9 }), 0)
  t.is(readBaseUrl({ U: 'https://x.example/farm//' }, 'U'), 'https://x.example/farm')
  t.deepEqual(readTrustedHosts({ FARM_TRUSTED_HOSTS: '127.0.0.1:80, [::1]:8080' }), [
    '127.0.0.1:80',
    '[::1]:8080',
  ])
})

test('an address to listen on is an IP and a port', (t) => {
  t.deepEqual(readListenAddress({}, 'A', '127.0.0.1:9470'), { host: '127.0.0.1', port: 9470 })
  t.deepEqual(readListenAddress({ A: '0.0.0.0:0' }, 'A', ''), { host: '0.0.0.0', port: 0 })
  t.deepEqual(readListenAddress({ A: '[::1]:80' }, 'A', ''), { host: '::1', port: 80 })
})
