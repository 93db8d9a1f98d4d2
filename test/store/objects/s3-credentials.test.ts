import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { examineObjects } from '../../../cli/doctor/environment.ts'
import { FarmError } from '../../../core/errors.ts'
import { startMinio } from '../../../infra/local/minio.ts'
import {
  openObjectStore,
  readObjectsPublicUrl,
  readObjectsUrl,
} from '../../../store/objects/open.ts'
import { signOutputs } from '../../../store/objects/output-links.ts'

const home = mkdtempSync(join(tmpdir(), 'farm-s3-credentials-'))
const pair = await generateKeyPair('RS256', { extractable: true })
const jwk = { ...(await exportJWK(pair.publicKey)), kid: 'tests', alg: 'RS256', use: 'sig' }

// An identity provider as MinIO's STS calls it.
const issuer = createServer((request, answer) => {
  const isKeys = request.url === '/keys'
  answer.setHeader('content-type', 'application/json')
  answer.end(JSON.stringify(isKeys ? { keys: [jwk] } : { issuer: at, jwks_uri: `${at}/keys` }))
})
issuer.listen(0, '127.0.0.1')
await once(issuer, 'listening')
const at = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}`
const minio = await startMinio({
  dataDir: join(home, 'minio'),
  env: {
    MINIO_IDENTITY_OPENID_CONFIG_URL: `${at}/.well-known/openid-configuration`,
    MINIO_IDENTITY_OPENID_CLIENT_ID: 'farm',
    MINIO_IDENTITY_OPENID_ROLE_POLICY: 'readwrite',
  },
})
const withKeys = new URL(minio.url)
const inner = `http://${withKeys.host}`
const ambientUrl = minio.url.replace(/\/\/.*@/, '//')

// Another address of the same store, as a load balancer is.
const proxy = createTcpServer((socket) => {
  const onward = connect(Number(withKeys.port), withKeys.hostname)
  socket.pipe(onward).pipe(socket)
  for (const each of [socket, onward]) each.on('error', () => each.destroy())
})
proxy.listen(0, '127.0.0.1')
await once(proxy, 'listening')
const outer = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`

const settings = { publicUrl: 'http://localhost', secret: 'signs nothing' }
const inherited = { ...process.env }

function surround(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (/^AWS_/.test(name)) delete process.env[name]
  const nowhere = join(home, 'absent')
  const files = { AWS_SHARED_CREDENTIALS_FILE: nowhere, AWS_CONFIG_FILE: nowhere }
  Object.assign(process.env, { AWS_EC2_METADATA_DISABLED: 'true', ...files, ...env })
}

test.after.always(async () => {
  process.env = inherited
  issuer.close()
  proxy.close()
  await minio.stop()
  rmSync(home, { recursive: true, force: true })
})

test.serial('a pair in the environment is used where the URL has none', async (t) => {
  surround({ AWS_ACCESS_KEY_ID: withKeys.username, AWS_SECRET_ACCESS_KEY: withKeys.password })
  const store = openObjectStore(readObjectsUrl({ FARM_OBJECTS: ambientUrl }), settings)
  await store.put('a/env', Buffer.from('env'))
  t.is(await (await fetch(await store.signGet('a/env', { seconds: 60 }))).text(), 'env')
  t.is(await store.urlSeconds(86_400), 86_400)
})

test.serial('a file’s new keys are used after the store refused the old', async (t) => {
  const file = join(home, 'credentials')
  const write = (key: string, secret: string) =>
    writeFileSync(file, `[default]\naws_access_key_id=${key}\naws_secret_access_key=${secret}\n`)
  write(withKeys.username, 'what it was before the rotation')
  surround({ AWS_SHARED_CREDENTIALS_FILE: file })
  const store = openObjectStore(new URL(ambientUrl), settings)
  const refused = await t.throwsAsync(store.put('a/file', Buffer.from('1')), {
    instanceOf: FarmError,
  })
  t.is((refused as FarmError).code, 'store_unavailable')
  write(withKeys.username, withKeys.password)
  await store.put('a/file', Buffer.from('2'))
  t.is(String(await store.read('a/file')), '2')
})

test.serial('a web identity signs with its session token, not beyond its end', async (t) => {
  const token = await new SignJWT({ sub: 'pod' })
    .setProtectedHeader({ alg: 'RS256', kid: 'tests' })
    .setIssuer(at)
    .setAudience('farm')
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(pair.privateKey)
  const file = join(home, 'token')
  writeFileSync(file, token)
  const role = createHash('sha1').update('farm').digest('base64url')
  surround({
    AWS_WEB_IDENTITY_TOKEN_FILE: file,
    AWS_ROLE_ARN: `arn:minio:iam:::role/${role}`,
    AWS_ENDPOINT_URL_STS: inner,
  })
  const store = openObjectStore(new URL(ambientUrl), { ...settings, objectsPublicUrl: outer })
  const put = await store.signPut('a/output', { seconds: 60 })
  t.true(new URL(put).searchParams.has('X-Amz-Security-Token'))
  t.is((await fetch(put, { method: 'PUT', body: 'film' })).status, 200)
  t.is(String(await store.read('a/output')), 'film')

  const files = { outputKey: 'a/output', thumbnailKey: null, name: 'x', format: 'mp4' } as const
  const { url, seconds } = await signOutputs(store, files)
  t.true(seconds > 0 && seconds <= 3600, `a day is cut to ${seconds} s`)
  t.true(Number(new URL(url).searchParams.get('X-Amz-Expires')) <= 3600)
  t.is(await (await fetch(url)).text(), 'film')
})

test.serial('expired credentials are read again', async (t) => {
  let asked = 0
  const source = createServer((_, answer) => {
    asked++
    // The first credentials expire soon; a container's agent then gives others.
    const Expiration = new Date(Date.now() + (asked === 1 ? 1_500 : 3_600_000)).toISOString()
    const { username: AccessKeyId } = withKeys
    const SecretAccessKey = asked === 1 ? 'of before' : withKeys.password
    answer.setHeader('content-type', 'application/json')
    answer.end(JSON.stringify({ AccessKeyId, SecretAccessKey, Token: '', Expiration }))
  })
  source.listen(0, '127.0.0.1')
  await once(source, 'listening')
  t.teardown(() => source.close())
  const { port } = source.address() as AddressInfo
  surround({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `http://127.0.0.1:${port}/` })
  const store = openObjectStore(new URL(ambientUrl), settings)
  t.is(await store.urlSeconds(3600), 1)
  await new Promise((resolve) => setTimeout(resolve, 1_600))
  t.true((await store.urlSeconds(7200)) > 3000)
  await store.put('a/renewed', Buffer.from('renewed'))
  t.is(asked, 2)
})

test.serial('a store without credentials names the places it searched', async (t) => {
  surround({})
  const store = openObjectStore(new URL(ambientUrl), settings)
  for (const act of [
    () => store.read('a/b'),
    () => store.signGet('a/b', { seconds: 9 }),
    () => store.prepare(),
  ]) {
    const error = await t.throwsAsync(act(), { instanceOf: FarmError, message: /credentials must/ })
    t.is((error as FarmError).code, 'store_unavailable')
  }
})

test.serial("customers' URLs lead to the public host, nodes' to the inner one", async (t) => {
  const objectsPublicUrl = readObjectsPublicUrl({
    FARM_OBJECTS: minio.url,
    FARM_OBJECTS_PUBLIC: outer,
  })
  const store = openObjectStore(withKeys, { ...settings, objectsPublicUrl })
  await store.put('a/public', Buffer.from('public'))
  const { url, thumbnailUrl, previewUrl } = await signOutputs(store, {
    ...{ outputKey: 'a/public', thumbnailKey: 'a/public', previewKey: 'a/public' },
    ...{ name: 'x', format: 'mp4' },
  })
  for (const each of [url, thumbnailUrl, previewUrl]) {
    t.is(new URL(each ?? '').origin, outer)
    t.is(await (await fetch(each ?? '')).text(), 'public')
  }
  t.is((await fetch(url.replace(outer, inner))).status, 403, 'the host is signed')
  t.is(new URL(await store.signGet('a/public', { seconds: 60 })).origin, inner)
  t.is(new URL(await store.signPut('a/public', { seconds: 60 })).origin, inner)
})

test.serial('doctor reads as a customer does, through the public host', async (t) => {
  surround({})
  t.teardown(() => {
    for (const name of ['FARM_OBJECTS', 'FARM_OBJECTS_PUBLIC']) delete process.env[name]
  })
  process.env.FARM_OBJECTS = minio.url
  process.env.FARM_OBJECTS_PUBLIC = outer
  t.is((await examineObjects()).verdict, 'ok')
  process.env.FARM_OBJECTS_PUBLIC = at
  const found = await examineObjects()
  t.is(found.verdict, 'missing')
  t.true(JSON.stringify(found).includes(`${at} at FARM_OBJECTS_PUBLIC returns other bytes`))
})

test('settings of a bucket that cannot work are refused without their secrets', (t) => {
  const bucket = 's3://files.example.com/farm'
  const refused = (read: () => unknown, message: RegExp) => {
    const error = t.throws(read, { name: 'EnvError', message })
    t.false(error?.message.includes('hush'))
  }
  for (const url of ['s3://hush@host/bucket', 's3://:hush@host/bucket', 's3:///bucket']) {
    refused(() => readObjectsUrl({ FARM_OBJECTS: url }), /^FARM_OBJECTS must be/)
  }
  refused(
    () => readObjectsUrl({ FARM_OBJECTS: bucket, AWS_SECRET_ACCESS_KEY: 'hush' }),
    /^AWS_ACCESS_KEY_ID must be set where AWS_SECRET_ACCESS_KEY is\. Got nothing$/,
  )
  for (const url of ['https://a:hush@b.c', 'https://b.c/hush', 'https://b.c?x=hush', 's3://b']) {
    refused(
      () => readObjectsPublicUrl({ FARM_OBJECTS: bucket, FARM_OBJECTS_PUBLIC: url }),
      /^FARM_OBJECTS_PUBLIC must be/,
    )
  }
  const FARM_OBJECTS_PUBLIC = 'https://files.example.com'
  refused(
    () => readObjectsPublicUrl({ FARM_OBJECTS: 'file:/tmp', FARM_OBJECTS_PUBLIC }),
    /unset where FARM_OBJECTS is a directory/,
  )
  t.is(readObjectsPublicUrl({ FARM_OBJECTS: bucket }), undefined)
  t.is(readObjectsPublicUrl({ FARM_OBJECTS: bucket, FARM_OBJECTS_PUBLIC }), FARM_OBJECTS_PUBLIC)
})
