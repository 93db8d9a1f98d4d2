import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { request } from 'undici'
import { showSpread, spreadOf } from '../statistics.ts'
import { quantile } from './load.ts'
import { type Customer, startStage } from './stage.ts'

const accounts = 20
const eventsEach = 5
/** Events of the account whose endpoint accepts the connection and never answers. */
const deadEvents = 200
const patienceMs = 60_000

/**
 * Measures the time from queueing an event to its arrival, with and without an account whose
 * endpoint is dead.
 */
export async function measureDeliveries(repeats: number): Promise<string[][]> {
  const receiver = await startReceiver()
  const mute = await listen(createServer(() => undefined))
  const trustedHosts = [receiver.server, mute].map(hostOf).join(',')
  const stage = await startStage({ trustedHosts, withWorkflows: true })
  try {
    const [address = ''] = stage.addresses
    const customers = await stage.customers(accounts)
    const hooks = await Promise.all(
      customers.map(async (customer) => ({
        ...customer,
        ...(await addHook(address, customer, `http://${hostOf(receiver.server)}/`)),
      })),
    )
    const tell = async () => {
      const times: number[] = []
      for (let i = 0; i < eventsEach; i += 1) {
        times.push(
          ...(await Promise.all(hooks.map((hook) => timeToArrive(address, hook, receiver)))),
        )
      }
      return times
    }
    await tell()
    const alone: number[] = []
    for (let turn = 0; turn < repeats; turn += 1) alone.push(quantile(await tell(), 0.99))
    const [dead] = await stage.customers(1)
    if (!dead) throw new Error('There must be one more account')
    const deadHook = { ...dead, ...(await addHook(address, dead, `http://${hostOf(mute)}/`)) }
    const beside: number[] = []
    for (let turn = 0; turn < repeats; turn += 1) {
      for (let i = 0; i < deadEvents / repeats; i += 1) await order(address, deadHook)
      beside.push(quantile(await tell(), 0.99))
    }
    return [
      ['from an order to its arrival, p99 ms', showSpread(spreadOf(alone))],
      [
        `the same while ${deadEvents} wait for a dead endpoint, p99 ms`,
        showSpread(spreadOf(beside)),
      ],
    ]
  } finally {
    await stage.stop()
    for (const server of [receiver.server, mute]) {
      server.closeAllConnections()
      server.close()
    }
  }
}

type Hook = Customer & { readonly id: string }
type Receiver = { readonly server: Server; arrival(deliveryId: string): Promise<number> }

async function startReceiver(): Promise<Receiver> {
  const arrived = new Map<string, PromiseWithResolvers<number>>()
  const of = (id: string) => {
    const known = arrived.get(id) ?? Promise.withResolvers<number>()
    arrived.set(id, known)
    return known
  }
  const server = createServer((asked, reply) => {
    of(String(asked.headers['x-service-delivery-id'])).resolve(performance.now())
    asked.resume()
    reply.end()
  })
  await listen(server)
  return { server, arrival: (id) => of(id).promise }
}

async function listen(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

function hostOf(server: Server): string {
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function addHook(address: string, { key }: Customer, url: string): Promise<{ id: string }> {
  const events = ['render.completed']
  return (await post(`${address}/api/webhooks`, { key, body: { url, events } })) as { id: string }
}

async function order(address: string, { key, id }: Hook): Promise<string> {
  const path = `${address}/api/webhooks/${id}/test`
  return ((await post(path, { key, body: {} })) as { deliveryId: string }).deliveryId
}

async function timeToArrive(address: string, hook: Hook, receiver: Receiver): Promise<number> {
  const began = performance.now()
  const id = await order(address, hook)
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('An event must arrive')), patienceMs)
  try {
    return (await Promise.race([receiver.arrival(id), late.promise])) - began
  } finally {
    clearTimeout(timer)
  }
}

async function post(url: string, { key, body }: { key: string; body: unknown }): Promise<unknown> {
  const headers = { 'content-type': 'application/json', 'x-api-key': key }
  const reply = await request(url, { method: 'POST', headers, body: JSON.stringify(body) })
  if (reply.statusCode < 300) return await reply.body.json()
  throw new Error(`${url} must take it. Got ${reply.statusCode}: ${await reply.body.text()}`)
}
