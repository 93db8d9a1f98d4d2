import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startMediaServer } from '../cli/render/media-server.ts'
import { makeMontageClips, montage } from './montage.ts'
import { spreadOf } from './statistics.ts'
import { startWarmFarm, type WarmFarm } from './warm-farm.ts'

const root = join(import.meta.dirname, '..')
const media = (name: string) => join(root, 'examples', 'launch', 'media', name)

const smallFilmsAtOnce = 2
const sampleMs = 1_000
/** An idle node has a minute to give back its memory. */
const idleMs = 60_000

/** Resident memory of the node's own process during the films, in bytes. */
export type Soak = {
  readonly films: number
  readonly most: number
  /** Medians of the second and of the last quarter of the time; caches fill in the first. */
  readonly early: number
  readonly late: number
  /** After a minute without work. */
  readonly idle: number
}

/**
 * Renders small 1080p films of all kinds, two at once, and montages of clips beside them, each new, for the given
 * seconds and at least `filmsLeast` films: films fill the caches, however slow the machine is.
 */
export async function soak(
  seconds: number,
  say: (line: string) => void = () => undefined,
  filmsLeast = 0,
): Promise<Soak> {
  const folder = await mkdtemp(join(tmpdir(), 'farm-bench-'))
  const server = await startMediaServer()
  const farm = await startWarmFarm({ trustedHosts: server.host, pollMs: 100 })
  try {
    const clips = (await makeMontageClips(folder)).map((file) => server.offer(file))
    const photo = server.offer(media('dunes.jpg'))
    const node = await nodeProcess(farm)
    const samples: number[] = []
    const began = performance.now()
    const passed = () => (performance.now() - began) / 1_000
    let films = 0
    const isOver = () => passed() >= seconds && films >= filmsLeast
    const make = async (payload: (number: number) => object) => {
      while (!isOver()) {
        films += 1
        await farm.render(payload(films))
      }
    }
    const makeSmall = () => make((number) => smallFilm(photo, number))
    const makeMontage = () => make((number) => montage(clips, number))
    const watch = async () => {
      for (let next = 30; !isOver(); await sleep(sampleMs)) {
        samples.push(await residentBytes(node))
        if (passed() < next) continue
        say(`${next} s: ${films} films, ${megabytes(samples.at(-1) ?? 0)} MB`)
        next += 30
      }
    }
    const small = Array.from({ length: smallFilmsAtOnce }, makeSmall)
    await Promise.all([watch(), makeMontage(), ...small])
    await sleep(idleMs)
    return { ...summaryOf(samples, films), idle: await residentBytes(node) }
  } finally {
    await farm.stop()
    server.close()
    await rm(folder, { recursive: true })
  }
}

/** Runs `npm run bench soak [SECONDS]`. */
export async function benchSoak(seconds: number): Promise<void> {
  const say = (line: string) => void process.stdout.write(`${line}\n`)
  const { films, most, early, late, idle } = await soak(seconds, say)
  say(
    `${films} films of 1080p in ${seconds} s: at most ${megabytes(most)} MB; ${megabytes(early)} MB in the second quarter, ${megabytes(late)} in the last, ${megabytes(idle)} after a minute without work`,
  )
}

/** Returns a photograph that zooms, words, a shape that turns: another colour each time. */
function smallFilm(photo: string, number: number) {
  const color = `#${((number * 7_919) % 0xff_ff_ff).toString(16).padStart(6, '0')}`
  const size = { width: 1920, height: 1080 }
  return {
    ...{ ...size, frameRate: 24, duration: 1, backgroundColor: color },
    visuals: [
      { ...{ type: 'IMAGE', src: photo, ...size, resize: 'cover' }, zoom: { depth: 1.2 } },
      {
        ...{ type: 'TEXT', x: 80, y: 80, track: 1, enterAnimation: 'fade', enterEnd: 0.5 },
        html: `<b style="font-size:80px;color:${color}">Film ${number}</b>`,
      },
      {
        ...{ type: 'SVG', x: 900, y: 500, width: 300, height: 300, track: 2 },
        svg: `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><circle cx="4" cy="4" r="4" fill="${color}"/></svg>`,
      },
    ],
  }
}

function summaryOf(samples: readonly number[], films: number): Omit<Soak, 'idle'> {
  const quarter = (from: number) =>
    spreadOf(samples.slice(samples.length * from, samples.length * (from + 0.25))).median
  return { films, most: Math.max(...samples), early: quarter(0.25), late: quarter(0.75) }
}

async function nodeProcess({ pid }: WarmFarm): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  for (const child of children.trim().split(' ')) {
    const argv = await readFile(`/proc/${child}/cmdline`, 'utf8')
    if (argv.split('\0').includes('worker')) return Number(child)
  }
  throw new Error(`A farm must have a worker process. Got children ${children}`)
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1_024
}

const megabytes = (bytes: number) => Math.round(bytes / 2 ** 20)
