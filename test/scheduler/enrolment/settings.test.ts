import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { readConfig } from '../../../scheduler/config.ts'

const dir = mkdtempSync(join(tmpdir(), 'farm-enrolment-'))
test.after.always(() => rmSync(dir, { recursive: true, force: true }))
const pem = join(dir, 'a.pem')
writeFileSync(pem, 'a text')

const plain = {
  ...{ DATABASE_URL: 'postgres://nowhere/farm', FARM_OBJECTS: `file:${dir}` },
  ...{ FARM_PUBLIC_URL: 'http://127.0.0.1:1', FARM_SECRET: 'a secret of the tests' },
}
const secured = { ...plain, FARM_TLS_CA: pem, FARM_TLS_CERT: pem, FARM_TLS_KEY: pem }
const usual = {
  ...{ ...secured, FARM_ENROLMENT_ADDRESS: '127.0.0.1:7072' },
  ...{ FARM_ENROLMENT_CA_CERT: pem, FARM_ENROLMENT_CA_KEY: pem },
}
const cluster = {
  ...{ FARM_ENROLMENT_ISSUER: 'https://cluster', FARM_ENROLMENT_JWKS: pem },
  FARM_ENROLMENT_ACCOUNTS: 'farm/gpu=gpu,farm/cpu=cpu',
}

test('a scheduler enrols nodes only where it is told to', (t) => {
  for (const env of [plain, secured]) {
    const { enrolment, nodeAuthority } = readConfig(env)
    t.deepEqual([enrolment, nodeAuthority], [undefined, undefined])
  }
  t.is(readConfig(usual).enrolment?.cluster, undefined)
  const { enrolment } = readConfig({ ...usual, ...cluster })
  t.deepEqual(
    enrolment?.cluster?.accounts,
    new Map([
      ['farm/gpu', 'gpu'],
      ['farm/cpu', 'cpu'],
    ]),
  )
  const other = readConfig({ ...secured, FARM_ENROLMENT_CA_CERT: pem })
  t.is(`${other.nodeAuthority}`, 'a text')
  t.is(other.enrolment, undefined)
})

const wrong: readonly (readonly [title: string, env: Record<string, string>, rule: RegExp])[] = [
  [
    'an authority of nodes without TLS',
    { ...plain, FARM_ENROLMENT_CA_CERT: pem },
    /^FARM_TLS_CERT must be set where FARM_ENROLMENT_CA_CERT is/,
  ],
  [
    'a key without an address',
    { ...secured, FARM_ENROLMENT_CA_KEY: pem },
    /^FARM_ENROLMENT_ADDRESS must be IP:port where other FARM_ENROLMENT_… are set/,
  ],
  [
    'an address without a key',
    { ...usual, FARM_ENROLMENT_CA_KEY: '' },
    /^FARM_ENROLMENT_CA_KEY must be the path of a PEM file that can be read/,
  ],
  [
    'half of a cluster',
    { ...usual, ...cluster, FARM_ENROLMENT_JWKS: '' },
    /^FARM_ENROLMENT_JWKS must be set, as /,
  ],
  [
    'keys of a cluster by plain http',
    { ...usual, ...cluster, FARM_ENROLMENT_JWKS: 'http://cluster/jwks' },
    /^FARM_ENROLMENT_JWKS must be an https URL, or the path of a file/,
  ],
  [
    'an account without a pool',
    { ...usual, ...cluster, FARM_ENROLMENT_ACCOUNTS: 'farm/gpu' },
    /^FARM_ENROLMENT_ACCOUNTS must be a list of namespace\/account=pool/,
  ],
]

for (const [title, env, rule] of wrong) {
  test(`a scheduler refuses ${title}`, (t) => {
    t.throws(() => readConfig(env), { message: rule })
  })
}
