import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { leftAfterAWhile, livingWith } from '../infra/living.ts'
import { farm, newFolder, startFarmCommand } from './run-farm.ts'

type FarmAddress = {
  readonly url: string
  readonly apiKey: string
  readonly dashboardUrl: string
  readonly operator: { readonly url: string; readonly email: string; readonly passwordFile: string }
}
type Profile = { readonly plan: { name: string }; readonly credits: { balance: number } }

const data = newFolder()
test.after.always(() => rmSync(data, { recursive: true, force: true }))

async function startDev(t: ExecutionContext, ...args: string[]) {
  const dev = await startFarmCommand(t, ['dev', '--json', '--data', data, ...args])
  const text = await dev.said(/^\{.*\}$/m)
  return { ...dev, address: JSON.parse(/^\{.*\}$/m.exec(text)?.[0] ?? '') as FarmAddress }
}

async function profileOf({ url, apiKey }: FarmAddress) {
  const response = await fetch(`${url}/api/user/profile`, { headers: { 'x-api-key': apiKey } })
  return { status: response.status, body: (await response.json()) as Profile }
}

/** Checks that the printed code signs in as a user of the key's account and as an operator, once each. */
async function signsInOnce(t: ExecutionContext, address: FarmAddress) {
  const { url, dashboardUrl } = address
  const [page, code = ''] = dashboardUrl.split('#sign-in=')
  t.is(page, `${url}/`)
  t.regex(code, /^[0-9a-f]{32}$/)
  const signIn = async (who = '') =>
    await fetch(`${url}/api${who}/auth/one-time`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    })
  const reply = await signIn()
  t.regex(
    reply.headers.get('set-cookie') ?? '',
    new RegExp(`^farm_refresh_${new URL(url).port}=rft_`),
  )
  const { accessToken } = (await reply.json()) as { accessToken: string }
  const headers = { authorization: `Bearer ${accessToken}` }
  const profile = (await (await fetch(`${url}/api/user/profile`, { headers })).json()) as Profile
  t.deepEqual(profile, (await profileOf(address)).body)
  t.is((await signIn()).status, 401)
  const operator = (await (await signIn('/operator')).json()) as { accessToken: string }
  const nodes = await fetch(`${url}/api/operator/nodes`, {
    headers: { authorization: `Bearer ${operator.accessToken}` },
  })
  t.is(nodes.status, 200)
  t.is((await signIn('/operator')).status, 401)
}

/** Checks that the operator signs in by the password in the file, which only its owner reads. */
async function operatorSignsIn(t: ExecutionContext, { url, operator }: FarmAddress) {
  const { email, passwordFile } = operator
  t.is(operator.url, `${url}/farm`)
  t.is(statSync(passwordFile).mode & 0o777, 0o600)
  const password = readFileSync(passwordFile, 'utf8').trim()
  const reply = await fetch(`${url}/api/operator/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  })
  t.is(reply.status, 200)
}

test.serial('a farm prints one line, has a largest-plan key, leaves nothing behind', async (t) => {
  const first = await startDev(t, '--workers', '2')
  t.deepEqual(Object.keys(first.address), ['url', 'apiKey', 'dashboardUrl', 'operator'])
  await signsInOnce(t, first.address)
  await operatorSignsIn(t, first.address)
  t.regex(first.address.apiKey, /^svc_[0-9a-f]{64}$/)
  const { status, body } = await profileOf(first.address)
  t.is(status, 200)
  t.is(body.plan.name, 'studio')
  t.true(body.credits.balance > 1_000_000)
  t.true(livingWith(data).length > 0)

  const second = await farm(['dev', '--json', '--data', data])
  t.is(second.code, 1)
  t.is(second.out, '')
  t.regex(second.err, new RegExp(`one farm at a time. Process ${first.pid} already runs`))

  first.kill('SIGINT')
  const { code, out } = await first.ended
  t.is(code, 0)
  t.is(out.trim().split('\n').length, 1)
  t.deepEqual(await leftAfterAWhile(data), [])
})

test.serial('the key survives a restart, and a dead role is restarted', async (t) => {
  const before = await startDev(t)
  before.kill('SIGTERM')
  t.is((await before.ended).code, 0)
  const again = await startDev(t, '--apart')
  t.is(again.address.apiKey, before.address.apiKey)
  // Its address is a fact of the plan, so the api stays at it.
  const api = await fetch(`${again.address.url}/healthz`)
  t.is(api.status, 200)
  const [pid] = pidsOf(again.pid, 'main.ts api')
  if (pid === undefined) return t.fail('no api process found')
  process.kill(pid, 'SIGKILL')
  await again.said(/api ended \(SIGKILL\); starting it again/)
  // It keeps its address across the restart.
  t.is((await untilAnswered(`${again.address.url}/healthz`)).status, 200)
  again.kill('SIGINT')
  await again.ended
  t.deepEqual(await leftAfterAWhile(data), [])
})

test.serial('three roles are one process, each with metrics at its own address', async (t) => {
  const dev = await startDev(t)
  t.is(pidsOf(dev.pid, 'main.ts control').length, 1)
  t.deepEqual(pidsOf(dev.pid, 'main.ts api'), [])
  const file = readFileSync(join(data, 'prometheus', 'targets.json'), 'utf8')
  type Target = { readonly targets: readonly string[]; readonly labels: { readonly job: string } }
  for (const { targets, labels } of JSON.parse(file) as Target[]) {
    const metrics = await (await fetch(`http://${targets[0]}/metrics`)).text()
    t.regex(
      metrics,
      new RegExp(`^farm_ready\\{role="${labels.job.replace('farm-', '')}"\\} 1$`, 'm'),
    )
  }
  dev.kill('SIGINT')
  t.is((await dev.ended).code, 0)
  const log = readFileSync(join(data, 'logs', 'control.log'), 'utf8')
  for (const role of ['api', 'scheduler', 'workflows']) {
    t.regex(log, new RegExp(`"role":"${role}","why":"SIGTERM","msg":"stopping"`))
  }
})

test.serial('the shell’s settings do not change where a farm listens', async (t) => {
  const env = { FARM_PORT: '1', FARM_SCHEDULER_PORT: '2', FARM_NODE_TOKEN: 'short' }
  const dev = await startFarmCommand(t, ['dev', '--json', '--data', data], { env })
  const address = JSON.parse(
    /^\{.*\}$/m.exec(await dev.said(/^\{.*\}$/m))?.[0] ?? '',
  ) as FarmAddress
  t.is((await profileOf(address)).status, 200)
})

test('Ctrl-C ends a farm whose part waits for an absent server', async (t) => {
  const folder = newFolder()
  const env = { TEMPORAL_ADDRESS: '127.0.0.1:1' }
  const dev = await startFarmCommand(t, ['dev', '--json', '--data', folder], { env })
  await dev.said(/worker is ready/)
  dev.kill('SIGINT')
  const { code, out, err } = await dev.ended
  t.is(code, 0, err)
  t.is(out, '')
  t.deepEqual(await leftAfterAWhile(folder), [])
})

async function untilAnswered(url: string): Promise<Response> {
  for (;;) {
    const response = await fetch(url).catch(() => undefined)
    if (response) return response
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

test.serial('a running farm renders a film for the holder of its key', async (t) => {
  const dev = await startDev(t)
  const env = { FARM_URL: dev.address.url, FARM_API_KEY: dev.address.apiKey }
  const file = join(data, 'hello.json')
  const visuals = [{ type: 'TEXT', text: '{{ word }}', style: { color: '#ffffff' } }]
  writeFileSync(file, JSON.stringify({ width: 64, height: 64, duration: 1, visuals }))
  const output = join(data, 'hello.mp4')
  const args = ['render', file, '-o', output, '--var', 'word=Hello']
  const rendered = await farm(args, { env })
  t.is(rendered.code, 0, rendered.err)
  t.notRegex(rendered.err, /starting the farm/)
  t.true(rendered.out.includes(`${output}\n  1.00 s, 64x64, `), rendered.out)
  t.is(readFileSync(output).toString('latin1', 4, 8), 'ftyp')

  const stranger = await farm(args, { env: { ...env, FARM_API_KEY: `svc_${'0'.repeat(64)}` } })
  t.is(stranger.code, 1)
  t.regex(stranger.err, /^farm: .*key/m)
})

/** Children of `parent` whose command line holds `text`. */
function pidsOf(parent: number | undefined, text: string): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,command='], { encoding: 'utf8' })
  return lines.split('\n').flatMap((line) => {
    const [, pid, ppid, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    return Number(ppid) === parent && command?.includes(text) ? [Number(pid)] : []
  })
}

test('a part that cannot start ends the command with its last words', async (t) => {
  const folder = newFolder()
  const { code, out, err } = await farm(['dev', '--json', '--data', folder], {
    env: { FARM_CANVAS: 'crayon' },
  })
  t.is(code, 1)
  t.is(out, '')
  t.regex(err, /worker ended \(exit code 2\) before it was ready. Its last output:/)
  t.regex(err, /FARM_CANVAS must be one of/)
  t.deepEqual(await leftAfterAWhile(folder), [])
  rmSync(folder, { recursive: true, force: true })
})
