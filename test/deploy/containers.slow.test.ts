import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { createFarmClient, type FarmClient, type RenderRequest } from '../../client/farm-client.ts'
import { freePorts } from '../../infra/local/ports.ts'
import { startTemporal } from '../../infra/local/temporal.ts'
import { startDatabase } from '../store/database.ts'
import { podman, startRole, whyNoImages } from './podman.ts'

// The images as they are shipped: each role in a container of its own, confined as in Kubernetes.

const why = whyNoImages()
if (why !== undefined) console.log(`the images are not tried: ${why}`)
const inContainers = why === undefined ? test.serial : test.serial.skip
const patienceMs = 180_000

type Role = ReturnType<typeof startRole>
let client: FarmClient
let [control, worker]: Role[] = []
const stops: (() => unknown)[] = []

test.before(async () => {
  if (why !== undefined) return
  const folder = mkdtempSync(join(tmpdir(), 'farm-test-images-'))
  const dataOf = (name: string) => {
    mkdirSync(join(folder, name))
    chownSync(join(folder, name), 10_001, 10_001)
    return join(folder, name)
  }
  const { url, stop } = await startDatabase()
  const temporal = await startTemporal({ dataDir: join(folder, 'temporal') })
  const [port, scheduler, ...metrics] = (await freePorts(6)).map(String)
  const base = `http://127.0.0.1:${port}`
  const id = String(process.pid)
  stops.push(() => rmSync(folder, { recursive: true, force: true }), stop, temporal.stop)
  control = startRole('control', {
    name: `farm-test-control-${id}`,
    data: dataOf('control'),
    args: ['control'],
    env: {
      DATABASE_URL: url,
      TEMPORAL_ADDRESS: temporal.address,
      FARM_OBJECTS: 'file:/data/objects',
      FARM_SECRET: 'a secret of the tests of images',
      FARM_PUBLIC_URL: base,
      FARM_PORT: String(port),
      FARM_SCHEDULER_PORT: String(scheduler),
      FARM_METRICS_ADDRESS: metrics
        .slice(0, 3)
        .map((each) => `127.0.0.1:${each}`)
        .join(','),
    },
  })
  stops.push(control.remove)
  worker = startRole('worker', {
    name: `farm-test-worker-${id}`,
    data: dataOf('worker'),
    args: ['worker'],
    env: {
      FARM_SCHEDULER_ADDRESS: `127.0.0.1:${scheduler}`,
      FARM_METRICS_ADDRESS: `127.0.0.1:${metrics[3]}`,
    },
  })
  stops.push(worker.remove)
  await untilReady(control, /"role":"control".*"msg":"ready"/)
  await untilReady(worker, /"role":"worker".*"msg":"ready"/)
  const account = JSON.parse(
    control.inside('farm', 'accounts', 'create', 'Images', '--why', 'a test', '--json'),
  )
  control.inside('farm', 'credits', 'grant', account.id, '1000', '--why', 'a test')
  const made = control.inside(
    'farm',
    'keys',
    'create',
    account.id,
    'test',
    '--why',
    'a test',
    '--json',
  )
  client = createFarmClient({ url: base, apiKey: JSON.parse(made).key })
})

test.after.always(async () => {
  for (const stop of stops.reverse()) await stop()
})

async function untilReady(role: Role, said: RegExp): Promise<void> {
  const deadline = Date.now() + patienceMs
  while (!said.test(role.logs())) {
    if (!role.isRunning() || Date.now() > deadline) throw new Error(role.logs())
    await sleep(200)
  }
}

/** Renders a project and returns the bytes of its file. */
async function render(payload: unknown): Promise<Buffer> {
  const { jobId } = await client.submit({ payload } as RenderRequest)
  const job = await client.wait(jobId, { timeoutMs: patienceMs })
  if (job.state !== 'completed' || !job.url) throw new Error(JSON.stringify(job))
  return Buffer.from(await (await fetch(job.url)).arrayBuffer())
}

/** A project of 320x180 with a line of text. */
const project = (more: object, ofText: object = {}) => ({
  ...{ name: 'from a container', width: 320, height: 180, backgroundColor: '#102030', ...more },
  visuals: [
    {
      ...{ type: 'TEXT', position: 'center-center', html: '<b style="color:#fff">painted</b>' },
      ...ofText,
    },
  ],
})

inContainers('both images run as user 10001 without capabilities', (t) => {
  for (const role of [control, worker]) {
    t.is(role?.inside('id', '-u'), '10001')
    const status = role?.inside('cat', '/proc/1/status') ?? ''
    t.regex(status, /^CapEff:\s+0000000000000000$/m)
    t.regex(status, /^CapBnd:\s+0000000000000000$/m)
    t.regex(status, /^NoNewPrivs:\s+1$/m)
    t.regex(status, /^Seccomp:\s+2$/m)
    t.throws(() => role?.inside('touch', '/app/written'), { message: /Read-only file system/ })
  }
})

inContainers('a still is painted in containers', async (t) => {
  const still = await render(project({ type: 'image', outputFormat: 'png' }))
  t.is(still.subarray(1, 4).toString(), 'PNG')
})

inContainers('a film is rendered in containers', async (t) => {
  const film = await render(project({ type: 'video', frameRate: 25, duration: 2 }))
  t.is(film.subarray(4, 8).toString(), 'ftyp')
})

inContainers('a film with custom code is rendered in containers', async (t) => {
  const css =
    '@keyframes go { to { transform: translateX(40px) } } b { display: block; animation: go 1s both }'
  const moving = { customCode: { css, animationDuration: 1 } }
  const film = await render(project({ type: 'video', frameRate: 25, duration: 1 }, moving))
  t.is(film.subarray(4, 8).toString(), 'ftyp')
  t.regex(worker?.logs() ?? '', /"level":"bwrap"/)
})

inContainers('a worker ends within its grace when the container is stopped', (t) => {
  worker?.stop()
  t.regex(worker?.logs() ?? '', /"why":"SIGTERM","msg":"stopping"/)
  t.false(worker?.isRunning())
  t.is(podman('inspect', '--format', '{{.State.ExitCode}}', `farm-test-worker-${process.pid}`), '0')
})
