import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { readEnrolment } from '../../../worker/enrolment/settings.ts'

const dir = mkdtempSync(join(tmpdir(), 'farm-enrolment-'))
test.after.always(() => rmSync(dir, { recursive: true, force: true }))
const ca = join(dir, 'ca.pem')
writeFileSync(ca, 'the authority')
const usual = { FARM_ENROL_AT: 'farm:7072', FARM_ENROL_TOKEN: 'join_1', FARM_TLS_CA: ca }

test('a node enrols by one token, at one address', (t) => {
  t.is(readEnrolment({ FARM_TLS_CA: ca }, dir), undefined)
  t.like(readEnrolment(usual, dir), { address: 'farm:7072', token: { text: 'join_1' } })
  const { FARM_ENROL_TOKEN, ...rest } = usual
  const pod = readEnrolment({ ...rest, FARM_ENROL_TOKEN_FILE: '/token' }, dir)
  t.deepEqual(pod?.token, { file: '/token' })
})

const wrong: readonly (readonly [change: Record<string, string>, rule: RegExp])[] = [
  [{ FARM_ENROL_AT: '' }, /^FARM_ENROL_AT must be host:port where FARM_ENROL_TOKEN or/],
  [{ FARM_ENROL_AT: 'farm' }, /^FARM_ENROL_AT must be host:port/],
  [{ FARM_ENROL_TOKEN: '' }, /^FARM_ENROL_TOKEN must be set where FARM_ENROL_TOKEN_FILE is not/],
  [{ FARM_ENROL_TOKEN_FILE: '/t' }, /^FARM_ENROL_TOKEN must be set .* or the other way round/],
  [{ FARM_TLS_CA: '' }, /^FARM_TLS_CA must be the path of a PEM file that can be read/],
  [{ FARM_TLS_CERT: ca }, /^FARM_ENROL_AT must be unset where FARM_TLS_CERT is/],
  [{ FARM_NODE_TOKEN: 'a token of a node' }, /^FARM_ENROL_AT must be unset where FARM_NODE_TOKEN/],
  [{ FARM_NODE_ID: 'x' }, /^FARM_ENROL_AT must be unset where FARM_NODE_ID is/],
  [
    { FARM_ENROL_TOKEN: '', FARM_ENROL_TOKEN_FILE: '/t', FARM_PROCESSES: '2' },
    /^FARM_PROCESSES must be 1 where FARM_ENROL_TOKEN_FILE is\. Got "2"/,
  ],
]

for (const [change, rule] of wrong) {
  test(`a worker refuses ${Object.entries(change)
    .map(([name, value]) => `${name}=${value.startsWith('/tmp') ? 'a file' : value}`)
    .join(' ')}`, (t) => {
    const message = t.throws(() => readEnrolment({ ...usual, ...change }, dir))?.message ?? ''
    t.regex(message.replaceAll(ca, 'CA'), rule)
    t.false(message.includes('join_1'))
  })
}
