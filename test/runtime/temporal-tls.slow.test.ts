import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NativeConnection } from '@temporalio/worker'
import test from 'ava'
import { startTemporal } from '../../infra/local/temporal.ts'
import { createAuthority, type Identity, issue } from '../../runtime/authority.ts'
import { readTemporal } from '../../runtime/temporal.ts'
import { diagnoseTemporal } from '../../runtime/temporal-diagnostics.ts'
import { farm } from '../cli/run-farm.ts'
import { startTemporalProxy } from './temporal-proxy.ts'

const folder = mkdtempSync(join(tmpdir(), 'farm-temporal-tls-'))
const authority = await createAuthority({ days: 1 })
const stranger = await createAuthority({ days: 1 })
const subject = { role: 'scheduler', hosts: ['temporal.example', '127.0.0.1'] } as const
const temporal = await startTemporal({ dataDir: join(folder, 'temporal') })
const proxy = await startTemporalProxy({
  address: temporal.address,
  ca: authority.cert,
  identity: await issue(authority, { subject, days: 1 }),
})
const newCaller = (by: Identity) =>
  issue(by, { subject: { role: 'node', nodeId: crypto.randomUUID(), name: 'n' }, days: 1 })
const caller = await newCaller(authority)
const wrong = await newCaller(stranger)
test.after.always(async () => {
  proxy.stop()
  await temporal.stop()
  rmSync(folder, { recursive: true, force: true })
})

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text)
  return path
}

const env = {
  TEMPORAL_ADDRESS: `127.0.0.1:${proxy.port}`,
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: file('ca.pem', authority.cert),
  TEMPORAL_TLS_SERVER_NAME: 'temporal.example',
  TEMPORAL_TLS_CLIENT_CERT_PATH: file('caller.pem', caller.cert),
  TEMPORAL_TLS_CLIENT_KEY_PATH: file('caller.key', caller.key),
  TEMPORAL_API_KEY: 'an-api-key-of-the-tests',
}

async function doctorOn(changed: Record<string, string>): Promise<string> {
  const { out } = await farm(['doctor'], { env: { ...env, ...changed } })
  const lines = out.split('\n')
  return lines.find((line) => / Temporal /.test(line)) ?? out
}

test.serial('stills are made over mutual TLS, each call with the API key', async (t) => {
  const still = { type: 'image', width: 64, height: 64, visuals: [] }
  const project = file('still.json', JSON.stringify(still))
  const out = join(folder, 'still.png')
  const data = join(folder, 'data')
  const made = await farm(['render', project, '-o', out, '--data', data], { env })
  t.is(made.code, 0, made.err)
  t.is(readFileSync(out).toString('latin1', 1, 4), 'PNG')
  t.true(proxy.calls.length > 0)
  for (const call of proxy.calls) t.is(call.authorization, `Bearer ${env.TEMPORAL_API_KEY}`)
  // The api starts the workflow by the client's SDK; the worker polls by the other one.
  const paths = new Set(proxy.calls.map(({ path }) => path.split('/').at(-1)))
  t.true(paths.has('StartWorkflowExecution') || paths.has('SignalWithStartWorkflowExecution'))
  t.true(paths.has('PollWorkflowTaskQueue'))
  const log = readFileSync(join(data, 'logs', 'control.log'), 'utf8')
  t.false(log.includes(env.TEMPORAL_API_KEY))
})

test.serial('the doctor says by which way Temporal answers', async (t) => {
  t.regex(await doctorOn({}), /✓ Temporal +server \d.* at TEMPORAL_ADDRESS, by TLS$/)
})

const refused: [string, Record<string, string>, RegExp][] = [
  [
    'an authority that did not sign',
    { TEMPORAL_TLS_SERVER_CA_CERT_PATH: file('stranger.pem', stranger.cert) },
    /shows a certificate of an authority that is not trusted \(.+\); TEMPORAL_TLS_SERVER_CA_CERT_PATH must name its authority$/,
  ],
  [
    'a name that is not in the certificate',
    { TEMPORAL_TLS_SERVER_NAME: 'other.example' },
    /shows a certificate for another name \(.+\); TEMPORAL_TLS_SERVER_NAME must be one in it$/,
  ],
  [
    'no certificate of the farm',
    { TEMPORAL_TLS_CLIENT_CERT_PATH: '', TEMPORAL_TLS_CLIENT_KEY_PATH: '' },
    /refused the connection \(.+\); it may refuse the certificate of TEMPORAL_TLS_CLIENT_CERT_PATH, or want one$/,
  ],
  [
    "a certificate of another authority's",
    {
      TEMPORAL_TLS_CLIENT_CERT_PATH: file('wrong.pem', wrong.cert),
      TEMPORAL_TLS_CLIENT_KEY_PATH: file('wrong.key', wrong.key),
    },
    / the connection.*; it may refuse the certificate of TEMPORAL_TLS_CLIENT_CERT_PATH, or want one$/,
  ],
  [
    'TLS to a plain server',
    { TEMPORAL_ADDRESS: temporal.address },
    /does not speak TLS; set TEMPORAL_TLS to false/,
  ],
]

for (const [what, changed, sentence] of refused) {
  test.serial(`${what} is named by the trouble's sentence`, async (t) => {
    const { server } = readTemporal({ ...env, ...changed })
    t.regex((await diagnoseTemporal(server)) ?? '', sentence)
    await t.throwsAsync(NativeConnection.connect(server))
  })
}

test.serial('plain text to a server of TLS is named', async (t) => {
  const server = { address: env.TEMPORAL_ADDRESS, tls: false } as const
  t.regex((await diagnoseTemporal(server)) ?? '', /may speak TLS alone; set TEMPORAL_TLS to true$/)
})

test.serial('the doctor names an authority that did not sign', async (t) => {
  const changed = { TEMPORAL_TLS_SERVER_CA_CERT_PATH: join(folder, 'stranger.pem') }
  t.regex(await doctorOn(changed), /✗ Temporal +Temporal's server at .* not trusted/)
})
