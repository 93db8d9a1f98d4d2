import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { startProcess, waitUntilReady } from '../../infra/local/processes.ts'
import { type Disks, onDisks } from './small-disks.ts'

const run = promisify(execFile)
/** A farm ends within five seconds; a slow machine gets more. */
const stopGraceMs = 30_000
const startTimeoutMs = 120_000

const launcher = new URL('../../farm', import.meta.url).pathname

/** The part of a job that these tests read. */
export type Job = {
  readonly id: string
  readonly state: string
  readonly url: string | null
  readonly thumbnailUrl: string | null
  readonly playlistUrl: string | null
  readonly watchUrl: string | null
  readonly noPlaylistReason: string | null
  readonly failedReason: string | null
  readonly error: { code: string; message: string; details: { field: string }[] } | null
  readonly creditsReserved: number
  readonly creditsCharged: number
  readonly frames: { total: number; done: number; reused: number }
  readonly result: { duration: number; size: number; width: number; height: number } | null
}

type Door = { readonly url: string; readonly apiKey: string; readonly dashboardUrl: string }

export type Farm = Awaited<ReturnType<typeof startFarm>>

/**
 * Starts a whole farm, as `farm dev --json` does: real Postgres, Temporal, scheduler, api,
 * workflows and workers, in a folder that goes with it. `env` reaches every role. It ends with this
 * process. `disks`: folders of its data that are file systems of their own, with their sizes
 * (small-disks.ts). Stop it in a hook that always runs: ava waits five minutes for a process with
 * children.
 */
export async function startFarm({
  workers = 1,
  apart = false,
  env = {},
  disks = {},
}: {
  workers?: number
  /** Api, scheduler and workflows are a process each. */
  apart?: boolean
  env?: Record<string, string>
  disks?: Disks
} = {}) {
  const data = await mkdtemp(join(tmpdir(), 'farm-test-'))
  const log: string[] = []
  const argv = [...onDisks(data, disks), launcher, 'dev', '--json']
  if (apart) argv.push('--apart')
  const [command = '', ...args] = [...argv, '--workers', `${workers}`, '--data', data]
  const running = await startProcess({
    name: 'farm dev',
    ...{ command, args },
    env: { ...process.env, ...env },
    logFile: join(data, 'stdout'),
    stopSignal: 'SIGINT',
    graceMs: stopGraceMs,
    onLine(line) {
      log.push(line)
      if (log.length > 200) log.shift()
    },
  })

  /** Kills everything that is left after the grace. */
  async function stop(): Promise<void> {
    await running.stop()
    for (const pid of await processesOf({ data }, '')) kill(pid)
    await rm(data, { recursive: true, force: true })
  }

  const probe = async () => JSON.parse(await readFile(running.logFile, 'utf8')) as Door
  const { url, apiKey, dashboardUrl } = await waitUntilReady(running, {
    ...{ probe, timeoutMs: startTimeoutMs },
  }).catch(async (error: unknown) => {
    await stop()
    throw new Error(`farm dev did not start:\n${log.join('\n')}`, { cause: error })
  })

  async function call(method: string, path: string, body?: unknown) {
    const reply = await fetch(url + path, {
      method,
      headers: {
        'x-api-key': apiKey,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
  }

  async function submit(payload: unknown, variables?: unknown): Promise<string> {
    const reply = await call('POST', '/api/render/api-key', { payload, variables })
    if (reply.status !== 202) throw new Error(`${reply.status} ${JSON.stringify(reply.body)}`)
    return reply.body.jobId as string
  }

  /** Waits until the api answers again, after it was killed. */
  async function untilBack(): Promise<void> {
    while (!(await fetch(`${url}/healthz`).catch(() => undefined))) await sleep(100)
  }

  async function job(id: string): Promise<Job> {
    return (await call('GET', `/api/jobs/${id}`)).body as unknown as Job
  }

  /** Returns the job once `done` accepts it; throws for a final job that was never accepted. */
  async function waitFor(id: string, done: (job: Job) => boolean): Promise<Job> {
    const deadline = Date.now() + 240_000
    for (;;) {
      const now = await job(id)
      if (done(now)) return now
      if (['completed', 'failed', 'cancelled'].includes(now.state) || Date.now() > deadline) {
        throw new Error(`${JSON.stringify(now)}\n${log.slice(-20).join('\n')}`)
      }
      await sleep(50)
    }
  }

  const finished = (id: string) =>
    waitFor(id, ({ state }) => ['completed', 'failed', 'cancelled'].includes(state))

  /** Renders to a file under the farm's folder; the job must complete. */
  async function render(
    payload: unknown,
    variables?: unknown,
  ): Promise<{ job: Job; file: Buffer }> {
    const done = await finished(await submit(payload, variables))
    if (done.state !== 'completed' || !done.url) throw new Error(JSON.stringify(done))
    return { job: done, file: Buffer.from(await (await fetch(done.url)).arrayBuffer()) }
  }

  return {
    ...{ url, apiKey, dashboardUrl, data, log, pid: running.pid },
    ...{ call, submit, job, waitFor, untilBack, finished, render, stop },
  }
}

/** Process ids below this farm whose command line holds `text`, from /proc. */
export async function processesOf(farm: Pick<Farm, 'data'>, text: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number)
  const found = await Promise.all(
    pids.map(async (pid) => {
      try {
        const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8')
        const environment = await readFile(`/proc/${pid}/environ`, 'utf8')
        const mine = environment.includes(farm.data) || commandLine.includes(farm.data)
        return mine && commandLine.replaceAll('\0', ' ').includes(text) ? [pid] : []
      } catch {
        return [] // ended between the listing and the reading
      }
    }),
  )
  return found.flat()
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}

/** Serves `files` on loopback; `hosts` is the value for FARM_TRUSTED_HOSTS. */
export async function serveMedia(files: Record<string, Buffer>) {
  const hits: string[] = []
  const server = createServer((request, reply) => {
    const name = (request.url ?? '/').slice(1)
    hits.push(name)
    const file = files[name]
    if (file) reply.writeHead(200).end(file)
    else reply.writeHead(404).end('no such file')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const hosts = `127.0.0.1:${address.port}`
  return {
    hosts,
    hits,
    at: (name: string) => `http://${hosts}/${name}`,
    close: () => server.close(),
  }
}

/** Digest and time of every decoded frame and audio packet, by ffmpeg. */
export async function decodedDigests(film: Buffer): Promise<string> {
  const digest = createHash('sha256').update(film).digest('hex').slice(0, 16)
  const path = join(tmpdir(), `farm-test-${process.pid}-${digest}.mp4`)
  await writeFile(path, film)
  try {
    const args = ['-v', 'error', '-i', path, '-f', 'framemd5', '-']
    return (await run('ffmpeg', args, { maxBuffer: 1 << 26 })).stdout
  } finally {
    await rm(path, { force: true })
  }
}
