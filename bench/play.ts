import { setTimeout as sleep } from 'node:timers/promises'
import { uploadTone } from './music.ts'
import { eventDelays } from './play-events.ts'
import { percentile, showSpread, showTable, spreadOf } from './statistics.ts'
import { startWarmFarm, type WarmFarm } from './warm-farm.ts'

/** Distance of looks at the playlist's address, which bounds the error of the measurement. */
const lookMs = 10
const scenes = 30
const sceneSeconds = 2
/** A long film with sound: five minutes, all of whose sound is encoded by its first shard. */
const longScenes = 150
const firstHertz = 220

/**
 * Measures a 60-second film through a warm farm: seconds from POST to its first picture at a player,
 * beside those to the finished file, and to the first picture with sound of a film of five minutes. Every
 * film differs, so nothing is reused.
 */
export async function benchPlay(repeats: number): Promise<void> {
  const farm = await startWarmFarm()
  try {
    await farm.render(film('warm up', 2))
    const runs: { picture: number; completed: number }[] = []
    for (let run = 0; run < repeats; run += 1) runs.push(await measure(farm, film(`run ${run}`)))
    const heard: number[] = []
    for (let run = 0; run < repeats; run += 1) heard.push(await measureSound(farm, run))
    const rows = [
      ['POST to first picture', showSpread(spreadOf(runs.map(({ picture }) => picture)), 2)],
      ['POST to completed', showSpread(spreadOf(runs.map(({ completed }) => completed)), 2)],
      [
        'share of the render',
        showSpread(spreadOf(runs.map(({ picture, completed }) => picture / completed)), 3),
      ],
    ]
    const long = `POST to first picture with sound, ${longScenes * sceneSeconds} s film`
    rows.push([long, showSpread(spreadOf(heard), 2)])
    const title = `A 60-second 1280x720 film that is played while it renders`
    process.stdout.write(`\n${title}: median (min .. max) of ${repeats}\n`)
    process.stdout.write(`${showTable(['', 'seconds'], rows)}\n`)
  } finally {
    await farm.stop()
  }
  const films = Array.from({ length: repeats }, (_, run) => film(`event ${run}`))
  const delays = await eventDelays(films)
  const [half, most] = [50, 95].map((percent) => percentile(delays, percent).toFixed(2))
  const title = `Seconds from a segment's end to its event, ${delays.length} segments`
  process.stdout.write(`${title}: median ${half}, p95 ${most}\n`)
}

async function measure({ client }: WarmFarm, payload: object) {
  const begun = performance.now()
  const seconds = () => (performance.now() - begun) / 1000
  const { jobId } = await client.submit({ payload })
  const ended = client.wait(jobId).then((job) => {
    if (job.state !== 'completed') throw new Error(`the film failed: ${job.failedReason}`)
    return seconds()
  })
  await takeFirst(client, jobId, ['pictures'])
  const picture = seconds()
  return { picture, completed: await ended }
}

/** Seconds from POST until a player has the first pieces of both tracks. The rest is not rendered. */
async function measureSound({ client }: WarmFarm, run: number): Promise<number> {
  const seconds = longScenes * sceneSeconds
  const src = await uploadTone(client, { hertz: firstHertz + run, seconds })
  const begun = performance.now()
  const payload: object = { ...film(`sound ${run}`, longScenes), audios: [{ src }] }
  const { jobId } = await client.submit({ payload })
  await takeFirst(client, jobId, ['pictures', 'sound'])
  const heard = (performance.now() - begun) / 1000
  await client.cancelJob(jobId)
  return heard
}

/** Fetches the beginning of a film's tracks as a player does. */
async function takeFirst(
  client: WarmFarm['client'],
  jobId: string,
  tracks: readonly ('pictures' | 'sound')[],
): Promise<void> {
  let playlist: string | null = null
  while (playlist === null) {
    await sleep(lookMs)
    playlist = (await client.getJob(jobId)).playlistUrl
  }
  const filmUrl = playlist
  const of = (file: string) => filmUrl.replace('film.m3u8', file)
  await take(filmUrl)
  await Promise.all(
    tracks.map(async (track) => {
      for (const rest of ['.m3u8', '-init.mp4', '-0.m4s']) await take(of(track + rest))
    }),
  )
}

/** Fetches a file as a player does, which asks again when it was told to. */
async function take(url: string): Promise<void> {
  for (;;) {
    const reply = await fetch(url)
    await reply.arrayBuffer()
    if (reply.ok) return
    if (reply.status !== 503) throw new Error(`HTTP ${reply.status} from ${url}`)
    await sleep(Number(reply.headers.get('retry-after') ?? 1) * 1000)
  }
}

function film(words: string, count = scenes) {
  const text = { type: 'TEXT', position: 'center-center', enterAnimation: 'slideleft' }
  return {
    name: words,
    width: 1280,
    height: 720,
    scenes: Array.from({ length: count }, (_, n) => ({
      id: `s${n}`,
      duration: sceneSeconds,
      backgroundColor: `#${100_000 + ((n * 25_000) % 900_000)}`,
      visuals: [{ ...text, html: `<b>${words} ${n}</b>`, enterEnd: sceneSeconds }],
    })),
  }
}
