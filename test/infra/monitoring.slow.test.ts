import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import pg from 'pg'
import { dashboards } from '../../core/charts/dashboards.ts'
import { listMetrics } from '../../infra/docs/metrics-table.ts'
import { startPrometheus } from '../../infra/local/prometheus.ts'
import { findProgram } from '../../infra/setup/cache.mjs'
import { serveMedia, startFarm } from '../farm/running-farm.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const patienceMs = 120_000

function promtool(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(findProgram('promtool') ?? 'promtool', args, {
    cwd: root,
    encoding: 'utf8',
  })
  return { status, said: `${stdout}${stderr}` }
}

test('promtool takes the configuration and the alerts', (t) => {
  const { status, said } = promtool('check', 'config', 'infra/prometheus/prometheus.yml')
  t.is(status, 0, said)
})

test('each alert fires when it must and stays quiet when it may', (t) => {
  const { status, said } = promtool('test', 'rules', 'test/infra/alerts.yml')
  t.is(status, 0, said)
})

/** Metrics without values on a farm without GPUs, limits, webhooks and failures. */
const emptyHere = [
  /farm_gpu_/,
  /farm_pool_slots_limit/,
  /farm_attempts_failed_total.* > 0$/,
  /farm_jobs_ended_total\{state="failed"\}.* > 0$/,
  /code!="OK"/,
  /farm_temporal_request_failures_total/,
  /farm_temporal_workflow_task_failures_total/,
]

test('Prometheus reads a real farm: every metric exists, every panel shows something', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'farm-prometheus-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const receiver = await serveMedia({ hook: Buffer.from('taken') })
  t.teardown(receiver.close)
  const farm = await startFarm({ env: { FARM_TRUSTED_HOSTS: receiver.hosts } })
  t.teardown(farm.stop)
  const configFile = join(farm.data, 'prometheus', 'prometheus.yml')
  // Shortens the intervals for the test.
  const config = readFileSync(configFile, 'utf8')
  writeFileSync(configFile, config.replaceAll(/interval: 15s/g, 'interval: 1s'))
  const prometheus = await startPrometheus({ configFile, dataDir: folder })
  t.teardown(prometheus.stop)

  type Answer = { status: string; error?: string; data: unknown }
  const ask = async (path: string) => {
    const reply = await fetch(`${prometheus.url}/api/v1/${path}`)
    const answer = (await reply.json()) as Answer
    t.is(answer.status, 'success', answer.error)
    return answer.data
  }
  type Series = { result: { value: [number, string] }[] }
  const query = async (expr: string) =>
    ((await ask(`query?${new URLSearchParams({ query: expr })}`)) as Series).result
  const until = async (expr: string) => {
    const deadline = Date.now() + patienceMs
    while ((await query(expr)).length === 0) {
      if (Date.now() > deadline) return t.fail(`${expr} stays empty`)
      await sleep(250)
    }
  }

  await until('count(farm_ready == 1) == 4')
  const visuals = [{ type: 'TEXT', text: 'seen', enterEnd: 2, enterAnimation: 'slideleft' }]
  // Too long for a single task, whose segments would not be stored.
  const film = { width: 320, height: 180, duration: 6, visuals }
  await farm.render(film)
  // Repeated under another title: its segments come out of the store and are joined, and a webhook
  // is sent.
  const again = { payload: { ...film, name: 'Again' }, webhookUrl: receiver.at('hook') }
  const { body } = await farm.call('POST', '/api/render/api-key', again)
  t.is((await farm.finished(String(body.jobId))).state, 'completed', JSON.stringify(body))
  await until('sum(rate(farm_webhook_attempts_total{result="taken"}[1m])) > 0')
  await until('sum(rate(farm_jobs_ended_total{state="completed"}[1m])) > 0')
  await until('sum(rate(farm_frames_rendered_total[1m])) > 0')

  const scraped = (await ask('label/__name__/values')) as string[]
  const known = new Set(scraped.map((name) => name.replace(/_(bucket|sum|count)$/, '')))
  const metadata = (await ask('metadata')) as Record<string, { type: string }[]>
  for (const { name, type } of listMetrics()) {
    t.is(metadata[name]?.[0]?.type, type, `${name} is not in the scrape`)
  }
  const strangers = [...known].filter((name) => name.startsWith('farm_') && !metadata[name])
  t.deepEqual(strangers, [])

  const queries = Object.values(dashboards).flatMap(({ rows }) =>
    rows.flatMap(({ panels }) =>
      panels.flatMap((panel) => ('queries' in panel ? panel.queries : [])),
    ),
  )
  t.true(queries.length > 30)
  for (const { expr } of queries) {
    const now = expr.replaceAll('$__rate_interval', '1m')
    if (emptyHere.some((words) => words.test(expr))) await query(now)
    else await until(now)
  }

  type Groups = { groups: { rules: { name: string; health: string; lastError?: string }[] }[] }
  const { groups } = (await ask('rules')) as Groups
  for (const { name, health, lastError } of groups.flatMap(({ rules }) => rules)) {
    t.is(health, 'ok', `${name}: ${lastError}`)
  }
  await askPostgres(farm.data, t.log)
})

/** Queries Grafana's tables as Grafana does. */
async function askPostgres(data: string, log: (text: string) => void): Promise<void> {
  const url = /^DATABASE_URL=(.*)$/m.exec(readFileSync(join(data, 'operate.env'), 'utf8'))?.[1]
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const { rows } of Object.values(dashboards)) {
      for (const panel of rows.flatMap(({ panels }) => panels)) {
        if (panel.shown !== 'table') continue
        const sql = panel.sql.replaceAll(
          /\$__timeFilter\((.+?)\)/g,
          "$1 between now() - interval '1 hour' and now()",
        )
        log(`${panel.title}: ${JSON.stringify((await client.query(sql)).rows[0])}`)
      }
    }
  } finally {
    await client.end()
  }
}
