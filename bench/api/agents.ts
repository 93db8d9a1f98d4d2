import { type Spread, showSpread, showTable, spreadOf } from '../statistics.ts'
import { type Load, load, type Request } from './load.ts'
import { startStage } from './stage.ts'

const accounts = 100
const clients = 32
const warmUps = 1_000

const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** What each client asks for: the list of tools in both eras, or a profile. */
const askings: Readonly<Record<'profile' | 'modern' | 'legacy', Omit<Request, 'status'>>> = {
  profile: { method: 'GET', path: '/api/user/profile', headers: {} },
  modern: {
    ...{ method: 'POST', path: '/mcp' },
    headers: { ...json, 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' },
    body: listOf({
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    }),
  },
  legacy: {
    ...{ method: 'POST', path: '/mcp' },
    headers: { ...json, 'mcp-protocol-version': '2025-06-18' },
    body: listOf(),
  },
}

function listOf(meta?: object): string {
  const params = meta === undefined ? {} : { _meta: meta }
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params })
}

const names = ['profile', 'modern', 'legacy'] as const
type Turn = Readonly<Record<(typeof names)[number], Load>>

/**
 * Measures how many agents a second get the list of tools, in turns with requests for a profile,
 * which need the same key check: `npm run bench agents`.
 */
export async function benchAgents(repeats: number): Promise<void> {
  const rows = rowsOf(await measureAgents(repeats))
  process.stdout.write(`\n${showTable(['Agents', 'median (min .. max)'], rows)}\n`)
}

export async function measureAgents(repeats: number, requests = 3_000): Promise<readonly Turn[]> {
  const stage = await startStage()
  try {
    const customers = await stage.customers(accounts)
    const run = async (name: (typeof names)[number], count: number): Promise<Load> => {
      const asking = askings[name]
      const next = (i: number): Request => {
        const key = customers[i % accounts]?.key ?? ''
        return { ...asking, headers: { ...asking.headers, 'x-api-key': key }, status: 200 }
      }
      return await load(stage.addresses, { clients, requests: count, next })
    }
    for (const name of names) await run(name, warmUps)
    const turns: Turn[] = []
    for (let turn = 0; turn < repeats; turn += 1) {
      const profile = await run('profile', requests)
      const modern = await run('modern', requests)
      turns.push({ profile, modern, legacy: await run('legacy', requests) })
    }
    return turns
  } finally {
    await stage.stop()
  }
}

/** Lists of tools for each profile, by turn. */
export function sharesOf(turns: readonly Turn[], era: 'modern' | 'legacy'): Spread {
  return spreadOf(turns.map((turn) => turn[era].perSecond / turn.profile.perSecond))
}

function rowsOf(turns: readonly Turn[]): string[][] {
  const of = (value: (turn: Turn) => number, digits = 0) =>
    showSpread(spreadOf(turns.map(value)), digits)
  return [
    ['profiles a second', of(({ profile }) => profile.perSecond)],
    ['their answer, p99 ms', of(({ profile }) => profile.p99, 1)],
    ['lists of tools a second, 2026-07-28', of(({ modern }) => modern.perSecond)],
    ['their answer, p99 ms', of(({ modern }) => modern.p99, 1)],
    ['of profiles', showSpread(sharesOf(turns, 'modern'), 2)],
    ['lists of tools a second, 2025-06-18', of(({ legacy }) => legacy.perSecond)],
    ['their answer, p99 ms', of(({ legacy }) => legacy.p99, 1)],
    ['of profiles', showSpread(sharesOf(turns, 'legacy'), 2)],
  ]
}
