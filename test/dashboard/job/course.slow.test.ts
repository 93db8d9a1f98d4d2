import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { sql } from 'kysely'
import { notifySubmitted } from '../../../store/db/jobs/notify-submitted.ts'
import { settleJob } from '../../../store/db/jobs/settle-jobs.ts'
import { planKey } from '../../../store/objects/job-keys.ts'
import { renderPath, requestOf } from '../../api/gateway.ts'
import { addRunningAttempt, addTask } from '../../store/database.ts'
import { enterStage } from '../../store/db/jobs/one-job.ts'
import { looksWell } from '../looks-well.ts'
import { keep, until, visit } from '../open-browser.ts'
import { stageOfFile } from '../stage.ts'

/** A job's page: its gantt, where its time went, its film by keys; real rows and a real film. */

const execute = promisify(execFile)
const frames = 60

const stage = stageOfFile()

const element = (field: string) => ({ field, begin: 0, end: 2 })
const plan = {
  segments: ['a', 'b', 'c', 'a'].map((fingerprint, i) => ({
    ...{ index: i, start: i * 15, frames: 15, fingerprint },
  })),
  timeline: {
    ...{ firstSecond: 0, frameRate: 30, scenes: [] },
    elements: [element('visuals[0]'), element('visuals[1]')],
  },
}

/**
 * A film of two seconds that took forty: three waits, a lost attempt with its successor, and a slow one
 * with its twin. Its file is real.
 */
async function rendered(
  accountId: string,
  post: (path: string, body: unknown) => Promise<{ json(): { jobId: string } }>,
) {
  const { db, objects } = stage.site.gateway
  const { jobId } = (await post(renderPath, requestOf())).json()
  await enterStage(db, { accountId, jobId, stage: 'resolve' })
  await objects.put(planKey({ accountId, jobId }), Buffer.from(JSON.stringify(plan)))
  await enterStage(db, {
    ...{ accountId, jobId, stage: 'render' },
    frames: { total: frames, reused: 0, painted: frames },
  })
  const tasks: string[] = []
  for (const segments of [[0], [1, 2]]) {
    const added = await addTask(db, { accountId, jobId, spec: { segments, assemble: false } })
    if (!added.live) throw new Error('The task must be new')
    tasks.push(added.taskId)
  }
  const [one = '', two = ''] = tasks
  await addAttempt(one, { n: 1, node: 1, from: 4, to: 10, state: 'lost' })
  await addAttempt(one, { n: 2, node: 2, from: 14, to: 30, state: 'completed' })
  await addAttempt(two, { n: 1, node: 1, from: 12, to: 38, state: 'superseded' })
  await addAttempt(two, { n: 2, node: 3, from: 30, to: 38, state: 'completed' })
  const result = {
    segments: [],
    seconds: { clips: 20, encode: 5 },
    slowFrames: [{ frame: 45, sources: 300, paint: 40, encode: 12 }],
  }
  await sql`update tasks set state = 'completed', result = ${JSON.stringify(result)}::jsonb,
    created_at = (select created_at from jobs where id = ${jobId}) + interval '3 s'
    where job_id = ${jobId}`.execute(db)
  const outputKey = `accounts/${accountId}/jobs/${jobId}/output`
  await objects.put(outputKey, await filmOf(frames / 30))
  await settleJob(db, {
    ...{ accountId, jobId, reason: 'test' },
    settlement: {
      ...{ to: 'completed', outputKey, thumbnailKey: null },
      result: { duration: frames / 30, size: 6, width: 320, height: 180, format: 'mp4' },
      links: { url: 'https://example.com/o', thumbnailUrl: null },
    },
  })
  await sql`update jobs set finished_at = created_at + interval '40 s',
    stages = jsonb_build_object('resolve', created_at + interval '2 s', 'render', created_at + interval '3 s')
    where id = ${jobId}`.execute(db)
  return jobId
}

/** Adds an attempt, in seconds of the job; `to` null = it runs. */
async function addAttempt(
  taskId: string,
  of: { n: number; node: number; from: number; to: number | null; state: string },
) {
  const node = `00000000-0000-4000-8000-00000000000${of.node}`
  await sql`
    insert into attempts (task_id, attempt, job_id, account_id, shape_id, node_id, node_class,
      pool, cost, state, expires_at, leased_at, ended_at)
    select id, ${of.n}, job_id, account_id, shape_id, ${node}, '', '', cost, ${of.state}, now(),
      j.created_at + make_interval(secs => ${of.from}),
      j.created_at + make_interval(secs => ${of.to}::double precision)
    from tasks t, lateral (select created_at from jobs where id = t.job_id) j
    where t.id = ${taskId}`.execute(stage.site.gateway.db)
}

async function filmOf(seconds: number): Promise<Buffer> {
  const dir = await mkdtemp(join(tmpdir(), 'farm-test-'))
  const file = join(dir, 'film.mp4')
  const input = `testsrc2=s=320x180:r=30:d=${seconds}`
  const how = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-movflags', '+faststart']
  await execute('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', input, ...how, file])
  const film = await readFile(file)
  await rm(dir, { recursive: true })
  return film
}

async function opened() {
  const { customer, signsIn } = await stage.site.user()
  const jobId = await rendered(customer.accountId, customer.post)
  const signedIn = await stage.signedIn({ signsIn })
  await visit(signedIn, `${stage.site.origin}/jobs/${jobId}`)
  await signedIn.page.waitForSelector('.spent')
  return { ...signedIn, jobId }
}

const titles = `[...document.querySelectorAll('.gantt-bar title')].map((each) => each.textContent)`
const rows = `[...document.querySelectorAll('.gantt-bars tbody tr')].map((row) => row.textContent)`
const lit = (of: string) =>
  `[...document.querySelectorAll('${of}.lit > title')].map((each) => each.textContent).join('; ')`

test.serial('the course and its table show waits, retries and twins', async (t) => {
  const { tab, page, close } = await opened()
  const drawn = (await page.evaluate(titles)) as string[]
  t.true(
    drawn.includes(
      'render 0 on machine 2, attempt 2: completed, 16.0 s; attempt 1 was lost: The machine fell silent',
    ),
    drawn.join('\n'),
  )
  t.true(drawn.some((words) => words.endsWith('; beside attempt 1, which was slow')))
  t.true(drawn.includes('waiting: 2.0 s before the first stage'))
  t.true(drawn.includes('render 1 to 2 waited 9.0 s for machine 1'))
  t.deepEqual(
    [await page.locator('.gantt-bar.retry').count(), await page.locator('.gantt-bar.twin').count()],
    [1, 1],
  )
  await page.click('.gantt summary')
  const told = (await page.evaluate(rows)) as string[]
  t.deepEqual(
    told.map((row) => row.replace(/^(stage|attempt|waiting|retry|twin)/, '')).toSorted(),
    drawn.toSorted(),
  )
  t.is(await page.locator('.gantt-segments li').count(), 4)
  await looksWell(t, tab, 'job-course')
  t.deepEqual(tab.faults, [])
  await close()
})

test.serial('the course follows a film that renders, with its table open', async (t) => {
  const { customer, signsIn } = await stage.site.user()
  const { accountId } = customer
  const { db, objects } = stage.site.gateway
  const { jobId } = (await customer.post(renderPath, requestOf())).json()
  await enterStage(db, { accountId, jobId, stage: 'resolve' })
  await objects.put(planKey({ accountId, jobId }), Buffer.from(JSON.stringify(plan)))
  const counts = { total: frames, reused: 0, painted: frames }
  await enterStage(db, { accountId, jobId, stage: 'render', frames: counts })
  const spec = { segments: [0, 1, 2], assemble: false }
  const taskId = await addRunningAttempt(db, { accountId, jobId, spec })
  const { page, close, ...tab } = await stage.signedIn({ signsIn })
  await visit({ page, ...tab }, `${stage.site.origin}/jobs/${jobId}`)
  await page.click('.gantt summary')
  await sql`update attempts set state = 'lost', ended_at = now() where job_id = ${jobId}`.execute(
    db,
  )
  await addAttempt(taskId, { n: 2, node: 2, from: 2, to: null, state: 'running' })
  await sql`update tasks set frames_done = 20 where job_id = ${jobId}`.execute(db)
  await notifySubmitted(db, [jobId])
  await until(page, `(${rows}).some((row) => row.includes('attempt 2'))`)
  t.true(await page.evaluate(`document.querySelector('.gantt details').open`))
  t.is(await page.evaluate('document.activeElement.localName'), 'summary')
  t.deepEqual(tab.faults, [])
  await close()
})

test.serial('an attempt points at its segments, and a segment at its attempts', async (t) => {
  const { tab, page, close } = await opened()
  await page.locator('.gantt-bar.twin rect').hover()
  await until(page, `${lit('.segment')} !== ''`)
  t.is(
    await page.evaluate(lit('.segment')),
    'segment 1, 15 frames: done; segment 2, 15 frames: done',
  )
  await page.locator('.segment').first().hover()
  await until(page, `${lit('.segment')}.startsWith('segment 0')`)
  const attempts = String(await page.evaluate(lit('.gantt-bar')))
  t.regex(attempts, /^render 0 on machine 1: lost.*; render 0 on machine 2, attempt 2: completed/)
  await page.locator('h1').hover()
  await until(page, `document.querySelectorAll('.lit').length === 0`)
  t.deepEqual(tab.faults, [])
  await close()
})

test.serial('the page says where the time went, as the API does', async (t) => {
  const { page, close } = await opened()
  const card = page.locator('section[aria-label="Where the time went"]')
  const words = (await card.textContent()) ?? ''
  t.regex(words, /decoding clips took 80 % of the machines’ time/)
  t.regex(words, /The slowest frame is 45, at 1\.5 s\./)
  t.regex(words, /frame 45 at 1\.5 s: 352 ms, mostly loading/)
  t.regex(words, /rendering37 s93 %/)
  await close()
})

test.serial('a film that is read again keeps its place', async (t) => {
  const { tab, page, jobId, close } = await opened()
  await until(page, `document.querySelector('video').readyState > 1`)
  await page.keyboard.press('.')
  await until(page, `${frame} === 1`)
  const source = await page.evaluate(`document.querySelector('video').src`)
  // Addresses are signed for the second.
  const signed = async () =>
    (await stage.site.gateway.objects.signGet('x', { seconds: 60 })).toString()
  const before = await signed()
  while ((await signed()) === before) await new Promise((resolve) => setTimeout(resolve, 100))
  const read = page.waitForResponse((reply) => reply.url().endsWith(`/api/jobs/${jobId}`))
  await stage.site.gateway.db
    .updateTable('jobs')
    .set({ name: 'Renamed' })
    .where('id', '=', jobId)
    .execute()
  await page.evaluate(`new BroadcastChannel('farm events').postMessage(
    { event: { kind: 'again', data: null }, lastId: '' })`)
  const { url } = await (await read).json()
  t.not(url, source)
  await page.waitForSelector('h1:has-text("Renamed")')
  t.is(await page.evaluate(`document.querySelector('video').src`), source)
  t.is(await page.evaluate(frame), 1)
  t.deepEqual(tab.faults, [])
  await close()
})

const time = `document.querySelector('video').currentTime`
const frame = `Math.floor(${time} * 30)`
const isPaused = `document.querySelector('video').paused`

test.serial('keys step, play and copy the time of a film', async (t) => {
  const { tab, page, close } = await opened()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await until(page, `document.querySelector('video').readyState > 1`)
  for (const goal of [1, 2, 3]) {
    await page.keyboard.press('.')
    await until(page, `${frame} === ${goal}`)
  }
  await page.keyboard.press(',')
  await until(page, `${frame} === 2`)
  await page.waitForSelector('.film-time:has-text("0.067 s")')
  await page.click('text=Copy time as snapshotTime')
  await page.waitForSelector('text=Copied')
  t.is(await page.evaluate('navigator.clipboard.readText()'), '"snapshotTime": 0.067')

  await page.keyboard.press('l')
  await page.keyboard.press('l')
  t.is(await page.evaluate(`document.querySelector('video').playbackRate`), 2)
  await until(page, `${frame} > 20`)
  await page.keyboard.press('k')
  t.true(await page.evaluate(isPaused))
  await page.keyboard.press('j')
  await until(page, `${time} === 0`)
  t.true(await page.evaluate(isPaused))
  t.deepEqual(tab.faults, [])
  await close()
})

/** Keeps how many seeks are begun while one goes on. */
const countOverlaps = `(() => {
  const player = document.querySelector('video')
  const { get, set } = Object.getOwnPropertyDescriptor(HTMLMediaElement.prototype, 'currentTime')
  window.overlaps = 0
  Object.defineProperty(player, 'currentTime', {
    get,
    set(time) {
      if (player.seeking) window.overlaps += 1
      set.call(player, time)
    },
  })
})()`

test.serial('steps and backward play wait for the seek before', async (t) => {
  const { tab, page, close } = await opened()
  await until(page, `document.querySelector('video').readyState > 1`)
  await page.evaluate(countOverlaps)
  for (let pressed = 0; pressed < 40; pressed += 1) await page.keyboard.press('.')
  await until(page, `${frame} === 40`)
  for (let pressed = 0; pressed < 3; pressed += 1) await page.keyboard.press('j')
  await until(page, `${time} === 0 && !document.querySelector('video').seeking`)
  t.true(await page.evaluate(isPaused))
  t.is(await page.evaluate('window.overlaps'), 0)
  await page.keyboard.press('l')
  await until(page, `${frame} > 20`)
  t.deepEqual(tab.faults, [])
  await close()
})

test.serial('a job’s page prints over the whole width, without its buttons', async (t) => {
  const { page, close } = await opened()
  await page.emulateMedia({ media: 'print' })
  const [main] = (await page.evaluate(`['main'].map((part) =>
    document.querySelector(part).getBoundingClientRect().width)`)) as number[]
  t.true((main ?? 0) > 1000, `${main} px`)
  t.is(await page.locator('nav >> visible=true').count(), 0)
  t.is(await page.locator('main button >> visible=true').count(), 0)
  t.true(await page.locator('h1').isVisible())
  await keep(page, 'job-printed')
  await close()
})

test.serial('the film’s keys are silent in dialogs, in fields and after g', async (t) => {
  const { tab, page, close } = await opened()
  await until(page, `document.querySelector('video').readyState > 1`)
  await page.keyboard.press('Shift+?')
  await page.waitForSelector('dialog .keys')
  t.regex((await page.textContent('dialog .keys')) ?? '', /A frame back and on in a film/)
  await page.keyboard.press('l')
  t.true(await page.evaluate(isPaused))
  await page.keyboard.press('Escape')
  await page.waitForSelector('dialog', { state: 'detached' })
  await page.evaluate(`document.querySelector('main').append(document.createElement('textarea'))`)
  await page.locator('main > textarea').fill('')
  await page.keyboard.type('l.k')
  t.is(await page.locator('main > textarea').inputValue(), 'l.k')
  t.deepEqual([await page.evaluate(isPaused), await page.evaluate(time)], [true, 0])
  await page.locator('h1').click()
  await page.evaluate(
    `document.querySelector('video').addEventListener('play', () => { window.hasPlayed = true })`,
  )
  await page.keyboard.press('g')
  await page.keyboard.press('j')
  await page.waitForURL('**/jobs')
  t.is(await page.evaluate('window.hasPlayed'), undefined)
  t.deepEqual(tab.faults, [])
  await close()
})
