import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { createPodTokens, TokenRefused } from '../../../scheduler/enrolment/pod-token.ts'
import { issuer, startCluster } from './cluster.ts'

const dir = mkdtempSync(join(tmpdir(), 'farm-test-pod-token-'))
test.after.always(() => rmSync(dir, { recursive: true, force: true }))

test('a cluster with two keys refuses a token that names none', async (t) => {
  const [jwks, other] = [join(dir, 'jwks.json'), join(dir, 'other.json')]
  const [tokenOf] = [await startCluster(jwks), await startCluster(other)]
  const keys = [jwks, other].flatMap((file) => JSON.parse(readFileSync(file, 'utf8')).keys)
  writeFileSync(jwks, JSON.stringify({ keys }))
  const accounts = new Map([['farm-workers/gpu', 'gpu']])
  const podOf = createPodTokens({ issuer, jwks, accounts })
  t.is((await podOf(await tokenOf())).pool, 'gpu')
  await t.throwsAsync(podOf(await tokenOf({ namesKey: false })), {
    instanceOf: TokenRefused,
    message: 'The service account token must be signed by the cluster.',
  })
})
