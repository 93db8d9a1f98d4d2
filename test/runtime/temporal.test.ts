import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { createAuthority, issue } from '../../runtime/authority.ts'
import type { Env } from '../../runtime/env.ts'
import { readTemporal } from '../../runtime/temporal.ts'

const authority = await createAuthority({ days: 1 })
const subject = { role: 'node', nodeId: crypto.randomUUID(), name: 'n' } as const
const one = await issue(authority, { subject, days: 1 })
const other = await issue(authority, { subject, days: 1 })
const folder = mkdtempSync(join(tmpdir(), 'farm-temporal-'))
test.after.always(() => rmSync(folder, { recursive: true, force: true }))

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const caPath = file('ca.pem', authority.cert)
const certPath = file('one.pem', one.cert)
const keyPath = file('one.key', one.key)
const rubbish = file('rubbish.pem', 'no certificate')

const serverOf = (env: Env) => readTemporal({ TEMPORAL_ADDRESS: 't:7233', ...env }).server

test('Temporal is called in plain text by default', (t) => {
  t.deepEqual(readTemporal({ TEMPORAL_ADDRESS: 't:7233' }), {
    server: { address: 't:7233', tls: false },
    namespace: 'default',
  })
})

test('TLS is on by its switch, each setting and an API key', (t) => {
  t.deepEqual(serverOf({ TEMPORAL_TLS: 'true' }).tls, {})
  t.deepEqual(serverOf({ TEMPORAL_TLS: '1' }).tls, {})
  t.deepEqual(serverOf({ TEMPORAL_API_KEY: 'k' }), { address: 't:7233', tls: {}, apiKey: 'k' })
  t.deepEqual(serverOf({ TEMPORAL_TLS_SERVER_NAME: 'n' }).tls, { serverNameOverride: 'n' })
  const ca = { serverRootCACertificate: Buffer.from(authority.cert) }
  t.deepEqual(serverOf({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: caPath }).tls, ca)
  t.deepEqual(serverOf({ TEMPORAL_TLS_SERVER_CA_CERT_DATA: authority.cert }).tls, ca)
  const pair = { TEMPORAL_TLS_CLIENT_CERT_PATH: certPath, TEMPORAL_TLS_CLIENT_KEY_DATA: one.key }
  t.deepEqual(serverOf(pair).tls, {
    clientCertPair: { crt: Buffer.from(one.cert), key: Buffer.from(one.key) },
  })
})

test('an API key goes over plain text only with TLS expressly off', (t) => {
  const server = serverOf({ TEMPORAL_API_KEY: 'k\n', TEMPORAL_TLS: 'false' })
  t.deepEqual(server, { address: 't:7233', tls: false, apiKey: 'k' })
})

test('half-given, unreadable and contradicting settings are refused by name', (t) => {
  const together = 'as TEMPORAL_TLS_CLIENT_CERT_* and TEMPORAL_TLS_CLIENT_KEY_* go together'
  const cases: [Env, string][] = [
    [
      { TEMPORAL_TLS_CLIENT_CERT_PATH: certPath },
      `TEMPORAL_TLS_CLIENT_KEY_PATH or TEMPORAL_TLS_CLIENT_KEY_DATA must be given, ${together}. Got nothing`,
    ],
    [
      { TEMPORAL_TLS_CLIENT_KEY_DATA: one.key },
      `TEMPORAL_TLS_CLIENT_CERT_PATH or TEMPORAL_TLS_CLIENT_CERT_DATA must be given, ${together}. Got nothing`,
    ],
    [
      { TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/nowhere/ca.pem' },
      'TEMPORAL_TLS_SERVER_CA_CERT_PATH must be the path of a PEM file that can be read (ENOENT). Got "/nowhere/ca.pem"',
    ],
    [
      { TEMPORAL_TLS_SERVER_CA_CERT_PATH: rubbish },
      `TEMPORAL_TLS_SERVER_CA_CERT_PATH must be a certificate in PEM. Got "${rubbish}"`,
    ],
    [
      { TEMPORAL_TLS_SERVER_CA_CERT_PATH: caPath, TEMPORAL_TLS_SERVER_CA_CERT_DATA: 'x' },
      `TEMPORAL_TLS_SERVER_CA_CERT_PATH must be unset where TEMPORAL_TLS_SERVER_CA_CERT_DATA is given. Got "${caPath}"`,
    ],
    [
      { TEMPORAL_TLS_CLIENT_CERT_PATH: certPath, TEMPORAL_TLS_CLIENT_KEY_PATH: certPath },
      `TEMPORAL_TLS_CLIENT_KEY_PATH must be a private key in PEM without a passphrase. Got "${certPath}"`,
    ],
    [
      { TEMPORAL_TLS_CLIENT_CERT_PATH: certPath, TEMPORAL_TLS_CLIENT_KEY_DATA: other.key },
      'TEMPORAL_TLS_CLIENT_KEY_DATA must be the key of the certificate of TEMPORAL_TLS_CLIENT_CERT_PATH. Got "(not shown)"',
    ],
    [
      { TEMPORAL_TLS: 'false', TEMPORAL_TLS_SERVER_CA_CERT_PATH: caPath },
      'TEMPORAL_TLS must be true, as TEMPORAL_TLS_SERVER_CA_CERT_PATH is given. Got "false"',
    ],
    [{ TEMPORAL_TLS: 'yes' }, 'TEMPORAL_TLS must be one of true, false, 1, 0. Got "yes"'],
    [
      { TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: 'true' },
      `TEMPORAL_TLS_DISABLE_HOST_VERIFICATION must be unset, as the server's certificate is always checked. Got "true"`,
    ],
    [
      { TEMPORAL_API_KEY: 'two words' },
      'TEMPORAL_API_KEY must be printable ASCII without spaces. Got "(not shown)"',
    ],
  ]
  for (const [env, message] of cases) t.throws(() => serverOf(env), { name: 'EnvError', message })
})

test('no error shows a key', (t) => {
  const pair = { TEMPORAL_TLS_CLIENT_CERT_PATH: keyPath, TEMPORAL_TLS_CLIENT_KEY_DATA: one.cert }
  const error = t.throws(() => serverOf(pair))
  t.false(error.message.includes('-----'))
})
