import { Random } from './random.ts'

export const daySeconds = 86_400

/** Kinds of tasks: where they run, their slots, and their seconds in them. */
export const kinds = {
  still: { pool: 'cpu', slots: 0.25, seconds: 0.5 },
  shard: { pool: 'cpu', slots: 1, seconds: 5 },
  gpuShard: { pool: 'gpu', slots: 1, seconds: 6 },
} as const
export type Kind = keyof typeof kinds
export type Pool = (typeof kinds)[Kind]['pool']
export const pools: readonly Pool[] = ['cpu', 'gpu']

export type Job = {
  readonly at: number
  readonly account: string
  readonly kind: Kind
  readonly tasks: number
}

/** `burst`: most tasks of an account that run at once. */
export type Load = {
  readonly jobs: readonly Job[]
  readonly burst: (account: string) => number
}

const accounts = 12
/** This account sends a bulk of a hundred times what its limit lets run at once. */
const capped = 'capped'
const cappedBurst = 8
const usualBurst = 512

/**
 * Makes a day: few jobs at night and many in the working hours, with a burst every hour or so: a bulk
 * of stills, a bulk of films, or films for the GPU. At noon an account with a small limit sends a
 * long bulk.
 */
export function dayOfBursts(seed: number): Load {
  const random = new Random(seed)
  const jobs: Job[] = []
  const account = () => `account-${random.integer(1, accounts)}`
  const film = (at: number): Job => ({
    ...{ at, account: account(), kind: 'shard', tasks: random.integer(4, 24) },
  })
  for (let at = 0; at < daySeconds; at += 1) {
    const hour = at / 3_600
    const busy = hour > 8 && hour < 20 ? 1 : 0.15
    for (let n = random.events(0.02 * busy); n > 0; n -= 1) jobs.push(film(at))
    for (let n = random.events(0.2 * busy); n > 0; n -= 1)
      jobs.push({ at, account: account(), kind: 'still', tasks: 1 })
    if (random.next() < busy / 3_600) jobs.push(...burst(random, at, account()))
  }
  for (let n = 0; n < 80; n += 1)
    jobs.push({ at: 12 * 3_600, account: capped, kind: 'shard', tasks: 60 })
  return {
    jobs: jobs.sort((a, b) => a.at - b.at),
    burst: (name) => (name === capped ? cappedBurst : usualBurst),
  }
}

function burst(random: Random, at: number, account: string): readonly Job[] {
  const bulk = (kind: Kind, jobs: number, tasks: number) =>
    Array.from({ length: jobs }, (): Job => ({ at, account, kind, tasks }))
  const which = random.next()
  if (which < 0.4) return bulk('still', random.integer(1_000, 4_000), 1)
  if (which < 0.75) return bulk('shard', random.integer(20, 80), random.integer(5, 15))
  return bulk('gpuShard', random.integer(10, 40), random.integer(10, 30))
}

/** The same work every second, for hours. */
export function steadyLoad({ slots, seconds }: { slots: number; seconds: number }): Load {
  const every = kinds.shard.seconds
  const jobs = Array.from(
    { length: Math.floor(seconds / every) },
    (_, n): Job => ({
      ...{ at: n * every, account: 'steady', kind: 'shard', tasks: slots },
    }),
  )
  return { jobs, burst: () => Number.POSITIVE_INFINITY }
}
