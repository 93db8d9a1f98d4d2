import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { Type } from 'typebox'
import { profiles } from '../../../../agent/profiles.ts'
import type { Profile } from '../../../../agent/tool.ts'
import { mcpRoute } from '../../../../api/agent/mcp-route.ts'
import { refuseUnusedBodies } from '../../../../api/gateway/body.ts'
import { repeatAnswers } from '../../../../api/gateway/idempotency.ts'
import { acceptJsonOnly } from '../../../../api/gateway/json-body.ts'
import { closeQueries } from '../../../../api/gateway/parameters.ts'
import type { Server } from '../../../../api/gateway/typed-server.ts'
import { type Gateway, startGateway } from '../../gateway.ts'
import { listen } from '../host.ts'
import { startKeyProxy } from '../key-proxy.ts'
import { createFixtureServer } from './fixture-server.ts'
import { runSuite } from './suite.ts'
import { createTaskServer } from './task-server.ts'

/** Tests the endpoint by the public conformance suite of the protocol. */

const fixturePath = '/test/mcp'
const tasksPath = '/test/tasks'

let gateway: Gateway
let mcp: URL

test.before(async () => {
  gateway = await startGateway({ rateLimits: 'off' })
  const { server, context } = gateway
  await server.register(async (typed: Server) => {
    closeQueries(typed)
    acceptJsonOnly(typed)
    refuseUnusedBodies(typed)
    repeatAnswers(typed, context)
    for (const [pathname, create] of [
      [fixturePath, createFixtureServer],
      [tasksPath, createTaskServer],
    ] as const) {
      const querystring = Type.Object({})
      mcpRoute(typed, context, {
        pathname,
        querystring,
        loadFactory: async () => ({ make: create }),
      })
    }
  })
  mcp = await listen(gateway)
})
test.after.always(() => gateway?.stop())

async function proxyTo(t: Parameters<typeof startKeyProxy>[0], path: string) {
  const { key } = await gateway.customer()
  return new URL(path, await startKeyProxy(t, mcp, key)).href
}

async function pass(t: ExecutionContext, args: readonly string[]) {
  const { code, out, checks } = await runSuite(args)
  t.is(code, 0, out)
  return checks
}

/** Run by the suite, and not required of 2025-11-25: they want a tool of their own, and sessions. */
const unscored = new Set(['json-schema-2020-12', 'server-sse-polling'])

test.serial('a server at the gateway meets 2025-11-25, but for what needs sessions', async (t) => {
  const url = await proxyTo(t, fixturePath)
  const expected = join(import.meta.dirname, 'expected-failures.2025-11-25.yml')
  const wanted = ['--requirements', '2025-11-25', '--expected-failures', expected]
  const checks = await pass(t, ['server', '--url', url, ...wanted])
  const scenariosOf = (status: string) => {
    const found = checks.filter((check) => check.status === status).map(({ scenario }) => scenario)
    return [...new Set(found)].filter((scenario) => !unscored.has(scenario)).toSorted()
  }
  t.deepEqual(scenariosOf('FAILURE'), [
    ...['elicitation-sep1034-defaults', 'elicitation-sep1330-enums'],
    ...['tools-call-elicitation', 'tools-call-sampling'],
  ])
  t.deepEqual(scenariosOf('WARNING'), ['server-sse-multiple-streams'])
})

test.serial('it meets all requirements of revision 2026-07-28', async (t) => {
  const url = await proxyTo(t, fixturePath)
  await pass(t, ['server', '--url', url, '--requirements', '2026-07-28'])
})

/** All but `status-notifications`, which the suite itself still skips. */
const taskScenarios = [
  ...['lifecycle', 'capability-negotiation', 'wire-fields', 'request-state-removal'],
  ...['mrtr-input', 'request-headers', 'dispatch-and-envelope', 'required-task-error'],
  'mrtr-composition',
]

for (const scenario of taskScenarios) {
  test.serial(`tasks pass the suite’s scenario ${scenario}`, async (t) => {
    const url = await proxyTo(t, tasksPath)
    await pass(t, ['server', '--url', url, '--scenario', `tasks-${scenario}`])
  })
}

const scenarios: readonly (readonly [scenario: string, profile: Profile])[] = [
  ...profiles.map((profile) => ['tools-list', profile] as const),
  ['prompts-list', 'creator'],
  ['resources-list', 'creator'],
  ['dns-rebinding-protection', 'creator'],
  ['caching', 'creator'],
  ['sep-2164-resource-not-found', 'creator'],
]

for (const [scenario, profile] of scenarios) {
  test.serial(`the product’s own tools pass ${scenario}: ${profile}`, async (t) => {
    const url = `${await proxyTo(t, '/mcp')}?profile=${profile}`
    await pass(t, ['server', '--url', url, '--scenario', scenario])
  })
}
