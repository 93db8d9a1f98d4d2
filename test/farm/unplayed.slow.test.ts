import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import pg from 'pg'
import { mediaHostOf } from './playback-media.ts'
import { fetchTrack } from './played.ts'
import { type Farm, startFarm } from './running-farm.ts'

/** The costs of a film that nobody plays, beside those of one that is played. */

const media = await mediaHostOf()
test.after.always(() => media.close())

const scenes = 8

function film() {
  const moving = { enterEnd: 3, enterAnimation: 'slideleft', position: 'center-center' }
  return {
    ...{ name: 'costs', width: 320, height: 180, audios: [{ src: media.music }] },
    scenes: Array.from({ length: scenes }, (_, n) => ({
      ...{ id: `s${n}`, duration: 3, backgroundColor: `#${100_000 + n * 9_000}` },
      visuals: [{ type: 'TEXT', html: `<b>${n}</b>`, ...moving }],
    })),
  }
}

const ids = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}/g

/** Objects in the farm's store, without the ids in their names. A preview depends on the moment. */
async function objectsIn({ data }: Farm): Promise<string[]> {
  const root = join(data, 'objects')
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const lines = files.map(async ({ parentPath, name }) => {
    const path = join(parentPath, name)
    const shown = path.slice(root.length).replace(ids, 'ID')
    const bytes = await readFile(path)
    const digest = createHash('sha256').update(bytes.toString('latin1').replace(ids, 'ID'))
    return name.startsWith('preview') ? shown : `${shown} ${digest.digest('hex').slice(0, 16)}`
  })
  return (await Promise.all(lines)).sort()
}

/** Rows of these depend on the moment of the last requests, or are a row for each request. */
const dated = /^(rate_windows|api_key_usage|access_log_\d+)$/

/** Rows that a film leaves, by table, and facts about its tasks. */
async function rowsIn({ data }: Farm) {
  const settings = await readFile(join(data, 'operate.env'), 'utf8')
  const client = new pg.Client(/^DATABASE_URL=(.*)$/m.exec(settings)?.[1] ?? '')
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace
        and relkind = 'r' order by relname`,
    )
    const counts: Record<string, number> = {}
    for (const { name } of tables) {
      const { rows } = await client.query(`select count(*)::integer as rows from "${name}"`)
      if (!dated.test(name)) counts[name] = rows[0].rows
    }
    const { rows: tasks } = await client.query(
      `select t.name, t.state, t.cost, t.frames_done, t.outputs,
        (select count(*)::integer from attempts a where a.task_id = t.id) as attempts
      from tasks t order by t.name`,
    )
    return { counts, tasks: tasks.map((task) => JSON.stringify(task)) }
  } finally {
    await client.end()
  }
}

/** Renders the film on a fresh farm. */
async function costs({ isPlayed }: { isPlayed: boolean }) {
  const farm = await startFarm({ workers: 1, env: { FARM_TRUSTED_HOSTS: media.host } })
  try {
    const id = await farm.submit(film())
    if (isPlayed) {
      const { playlistUrl } = await farm.waitFor(id, (job) => job.playlistUrl !== null)
      await fetchTrack(String(playlistUrl), 'pictures')
      await fetchTrack(String(playlistUrl), 'sound')
    }
    const { url, creditsCharged, frames } = await farm.finished(id)
    const file = Buffer.from(await (await fetch(String(url))).arrayBuffer())
    return { file, creditsCharged, frames, objects: await objectsIn(farm), ...(await rowsIn(farm)) }
  } finally {
    await farm.stop()
  }
}

test('playing a film adds no object, row or byte, and no credits', async (t) => {
  const unplayed = await costs({ isPlayed: false })
  const played = await costs({ isPlayed: true })
  t.deepEqual(played, unplayed)
  const names = unplayed.objects.map((line) => line.replace(/ .*/, '').split('/').at(-1) ?? '')
  const kinds = new Set(names.map((name) => name.replace(/-.*/, '')))
  const known = ['bake', 'documents', 'media', 'output', 'plan.json', 'segment', 'sound']
  t.deepEqual([...kinds].sort(), [...known, 'thumbnail'], 'nothing is kept for players')
})
