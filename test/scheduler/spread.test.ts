import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { readConfig } from '../../scheduler/config.ts'
import { openContext } from '../../scheduler/context.ts'
import { serve } from '../../scheduler/serve.ts'
import { readSchedulerAddress } from '../../worker/agent/scheduler-address.ts'
import { connectScheduler } from '../../worker/agent/scheduler-client.ts'
import { addNode, silent, startDatabase } from '../store/database.ts'

const { db, url, stop } = await startDatabase()
test.after.always(stop)

async function startScheduler(t: ExecutionContext, { port = 0, ageMs }: Given = {}) {
  const config = readConfig({
    DATABASE_URL: url,
    FARM_SCHEDULER_PORT: String(port),
    FARM_OBJECTS: 'file:/tmp',
    FARM_PUBLIC_URL: 'http://127.0.0.1:1',
    FARM_SECRET: 'a secret of the tests',
  })
  const { context, close } = openContext(config, silent)
  const served = await serve(context, { ...config, ...(ageMs && { ageMs }) })
  let stopped: Promise<void> | undefined
  const stopOnce = () => {
    stopped ??= served.stop().then(close)
    return stopped
  }
  t.teardown(stopOnce)
  const calls = async () => {
    const { values } = (await context.metrics.registry
      .getSingleMetric('farm_rpc_seconds')
      ?.get()) ?? { values: [] }
    const counts = values.filter(
      (each) => 'metricName' in each && /_count$/.test(String(each.metricName)),
    )
    return counts.reduce((sum, { value }) => sum + value, 0)
  }
  return { port: served.port, calls, stop: stopOnce }
}

type Given = { port?: number; ageMs?: number }

const renewal = (nodeId: string) => ({ nodeId, tasks: [], pause: '' })

function connectTo(t: ExecutionContext, text: string) {
  const address = readSchedulerAddress({ FARM_SCHEDULER_ADDRESS: text })
  const client = connectScheduler({ address, token: undefined, tls: undefined })
  t.teardown(client.close)
  return client
}

const forms: Record<string, (ports: readonly number[]) => string> = {
  'a list of names': (ports) => ports.map((port) => `localhost:${port}`).join(', '),
  'a list of addresses': (ports) => ports.map((port) => `127.0.0.1:${port}`).join(','),
  'ipv4:': (ports) => `ipv4:${ports.map((port) => `127.0.0.1:${port}`).join(',')}`,
}

for (const [form, addressOf] of Object.entries(forms)) {
  test(`${form}: calls reach both schedulers, and one that stops costs none`, async (t) => {
    const nodeId = await addNode(db)
    const schedulers = [await startScheduler(t), await startScheduler(t)] as const
    const [first, second] = schedulers
    const client = connectTo(t, addressOf(schedulers.map(({ port }) => port)))
    // The second connection may come later than the first calls.
    while ((await first.calls()) === 0 || (await second.calls()) === 0) {
      await client.renew(renewal(nodeId))
    }
    const polls = Array.from({ length: 4 }, () =>
      client.lease({ nodeId, slots: 1, waitMs: 20_000 }, new AbortController().signal),
    )
    let isOver = false
    const goesOn = (async () => {
      while (!isOver) await client.renew(renewal(nodeId))
    })()
    await sleep(100)
    await first.stop()
    const before = await second.calls()
    for (let i = 0; i < 10; i++) await client.renew(renewal(nodeId))
    t.true((await second.calls()) >= before + 10)
    isOver = true
    await t.notThrowsAsync(goesOn)
    const { stop: stopSecond } = second
    await stopSecond()
    for (const poll of polls) await t.notThrowsAsync(poll)
  })
}

test('a scheduler that is back gets calls again', async (t) => {
  const nodeId = await addNode(db)
  const [first, second] = [await startScheduler(t), await startScheduler(t)]
  const client = connectTo(t, `127.0.0.1:${first.port},127.0.0.1:${second.port}`)
  await client.renew(renewal(nodeId))
  await first.stop()
  await client.renew(renewal(nodeId))
  const again = await startScheduler(t, { port: first.port })
  while ((await again.calls()) === 0) await client.renew(renewal(nodeId))
  t.pass()
})

test('a connection that grew old is left without a failed call', async (t) => {
  const nodeId = await addNode(db)
  const { port } = await startScheduler(t, { ageMs: 300 })
  let connections = 0
  const wire = createServer((socket) => {
    connections += 1
    const onward = connect(port, '127.0.0.1')
    socket.pipe(onward).pipe(socket)
    for (const each of [socket, onward]) each.on('error', () => each.destroy())
  })
  wire.listen(0, '127.0.0.1')
  await once(wire, 'listening')
  t.teardown(() => wire.close())
  const client = connectTo(t, `127.0.0.1:${(wire.address() as AddressInfo).port}`)
  const poll = client.lease({ nodeId, slots: 1, waitMs: 2_000 }, new AbortController().signal)
  const end = Date.now() + 2_000
  while (Date.now() < end) await client.renew(renewal(nodeId))
  t.deepEqual(await poll, { tasks: [] })
  t.true(connections > 1)
})

test('an address that names no port, or nothing, is refused', (t) => {
  const wrong = ['', 'host', 'host:0', 'host:70000', 'a:1,', 'a:1,b', 'a b:1', 'dns:///a:1,b:2']
  for (const text of [...wrong, 'http://a:1', 'unix:/tmp/x']) {
    t.throws(() => readSchedulerAddress({ FARM_SCHEDULER_ADDRESS: text }), {
      name: 'EnvError',
      message: /^FARM_SCHEDULER_ADDRESS must be host:port/,
    })
  }
  for (const text of [
    'a:1',
    '[::1]:7070',
    'dns:///schedulers.farm:7070',
    'ipv4:1.2.3.4:1,1.2.3.5:1',
  ]) {
    t.is(readSchedulerAddress({ FARM_SCHEDULER_ADDRESS: text }), text)
  }
})
