import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { cpus, freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startMediaServer } from '../../cli/render/media-server.ts'
import { secondsOf, showSpread, showTable, spreadOf } from '../statistics.ts'
import { startWarmFarm, type WarmFarm } from '../warm-farm.ts'
import { makeMedia } from './media.ts'
import { type Workload, type WorkRequest, workloads } from './workloads.ts'

const run = promisify(execFile)
const encoder = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '23', '-pix_fmt', 'yuv420p']
/** Processes of ffmpeg at once, where there are many outputs: one a core. */
const lanes = cpus().length

/** What a run took. `cpu` and `memory` are the whole machine's: nothing else may run on it. */
type Cost = {
  readonly seconds: number
  readonly cpu: number
  readonly memoryMb: number
  readonly bytes: number
}

/**
 * Five workloads through a warm farm with cold caches, then the very same once more, beside ffmpeg by
 * hand and beside encoding the same frames from raw YUV, in turn; the farm's cost against theirs. Each turn has a
 * farm of its own, warmed up with other work: nothing of an earlier turn helps.
 */
export async function benchPeers(repeats: number): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'farm-peers-'))
  const server = await startMediaServer()
  const addresses = new Map<string, string>()
  const address = (file: string) => {
    const known = addresses.get(file) ?? server.offer(file)
    addresses.set(file, known)
    return known
  }
  try {
    const header = ['', 'seconds', 'CPU seconds', 'peak MB', 'MB', 'farm is slower by', 'SSIM']
    for (const workload of workloads(await makeMedia(folder))) {
      const rows = await compare(workload, { trustedHosts: server.host, address, folder, repeats })
      process.stdout.write(
        `\n${workload.name}, ${workload.frames} frames, median (min .. max) of ${repeats}\n${showTable(header, rows)}\n`,
      )
    }
  } finally {
    server.close()
    await rm(folder, { recursive: true, force: true })
  }
}

type Bench = {
  readonly trustedHosts: string
  readonly address: (file: string) => string
  readonly folder: string
  readonly repeats: number
}

async function compare(workload: Workload, bench: Bench): Promise<string[][]> {
  const { folder, repeats, trustedHosts, address } = bench
  const out = (name: string) => join(folder, name)
  const raw = workload.frames <= 900 && !workload.isStill ? out('raw.yuv') : undefined
  if (raw)
    await ffmpeg(workload.graphs[0] ?? [], ['-an', '-pix_fmt', 'yuv420p', '-f', 'rawvideo', raw])
  const request = workload.request(address)
  const peers: Record<string, (into: string, farm: WarmFarm) => Promise<unknown>> = {
    farm: (into, farm) => throughFarm(farm, request, into),
    'farm, the same again': (into, farm) => throughFarm(farm, request, into),
    'ffmpeg by hand': (into) => byHand(workload, into),
    ...(raw && { 'encoder alone': (into) => encodeRaw(workload, raw, into) }),
  }
  const costs = new Map<string, Cost[]>()
  for (let turn = 0; turn < repeats; turn += 1) {
    const farm = await startWarmFarm({ trustedHosts })
    try {
      await Promise.all(warmingUp.map(farm.render))
      for (const [name, peer] of Object.entries(peers)) {
        const into = out(name.replaceAll(' ', '-'))
        await rm(into, { recursive: true, force: true })
        await mkdir(into)
        const cost = await measured(() => peer(into, farm), into)
        costs.set(name, [...(costs.get(name) ?? []), cost])
      }
    } finally {
      await farm.stop()
    }
  }
  const likeness = await ssim(out('farm'), out('ffmpeg-by-hand'))
  if (raw) await rm(raw)
  return rowsOf(costs, likeness)
}

function rowsOf(costs: ReadonlyMap<string, readonly Cost[]>, likeness: string): string[][] {
  const ours = costs.get('farm') ?? []
  return [...costs].map(([peer, theirs]) => {
    const of = (key: keyof Cost, digits = 1) =>
      showSpread(spreadOf(theirs.map((cost) => cost[key])), digits)
    const ratios = theirs.map(({ seconds }, i) => (ours[i]?.seconds ?? Number.NaN) / seconds)
    return [
      peer,
      ...[of('seconds', 2), of('cpu'), of('memoryMb', 0), of('bytes')],
      peer === 'farm' ? '' : showSpread(spreadOf(ratios), 2),
      peer === 'farm' ? likeness : '',
    ]
  })
}

/** Every program of the farm has run once, and its pages are in memory. */
const warmingUp = ['a film', 'a still', 'another film', 'another still'].map((words, i) => ({
  ...{ width: 320, height: 180, visuals: [{ type: 'TEXT', html: `<b>${words}</b>` }] },
  ...(i % 2 === 0 ? { duration: 1, frameRate: 30 } : { type: 'image', outputFormat: 'png' }),
}))

async function throughFarm(farm: WarmFarm, { payload, items }: WorkRequest, into: string) {
  const jobs = items ? await farm.renderBulk({ payload, items }) : [await farm.render(payload)]
  await Promise.all(
    jobs.map(async ({ url }, i) => {
      if (url === null) throw new Error('A completed job must have an address. Got none')
      const film = Buffer.from(await (await fetch(url)).arrayBuffer())
      await writeFile(join(into, nameOf(i)), film)
    }),
  )
}

const nameOf = (index: number) => String(index).padStart(3, '0')

async function byHand({ graphs, isStill }: Workload, into: string): Promise<void> {
  const waiting = graphs.map((graph, i) => ({ graph, to: join(into, nameOf(i)) }))
  const output = isStill ? ['-c:v', 'png', '-f', 'image2pipe'] : [...encoder, '-f', 'mp4']
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      await ffmpeg(next.graph, [...output, next.to])
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

async function encodeRaw({ size }: Workload, raw: string, into: string): Promise<void> {
  const input = ['-f', 'rawvideo', '-pix_fmt', 'yuv420p', '-s', size.join('x'), '-r', '30']
  await ffmpeg([...input, '-i', raw], [...encoder, '-f', 'mp4', join(into, nameOf(0))])
}

async function ffmpeg(inputs: readonly string[], output: readonly string[]): Promise<void> {
  await run('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...inputs, ...output])
}

const sampleMs = 100

async function measured(work: () => Promise<unknown>, into: string): Promise<Cost> {
  const free = freemem()
  let least = free
  const watch = setInterval(() => {
    least = Math.min(least, freemem())
  }, sampleMs)
  const before = busySeconds()
  try {
    const seconds = await secondsOf(work)
    const cpu = busySeconds() - before
    return { seconds, cpu, memoryMb: (free - least) / 2 ** 20, bytes: (await sizeOf(into)) / 1e6 }
  } finally {
    clearInterval(watch)
  }
}

function busySeconds(): number {
  return cpus().reduce((sum, { times }) => sum + (times.user + times.sys + times.nice) / 1000, 0)
}

async function sizeOf(folder: string): Promise<number> {
  const sizes = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** How like the first outputs are: that the same was drawn. It is no judgement of the encoder. */
async function ssim(one: string, other: string): Promise<string> {
  const inputs = [one, other].flatMap((folder) => ['-i', join(folder, nameOf(0))])
  const { stderr } = await run('ffmpeg', [
    ...['-v', 'info', '-nostdin', ...inputs],
    ...['-lavfi', '[0:v]format=yuv420p[a];[1:v]format=yuv420p[b];[a][b]ssim', '-f', 'null', '-'],
  ])
  return /All:([\d.]+)/.exec(stderr)?.[1] ?? 'unknown'
}
