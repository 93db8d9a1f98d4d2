import { createHash } from 'node:crypto'
import test from 'ava'
import type { Plan } from '../../../core/plan/plan.ts'
import { cancelJob } from '../../../store/db/jobs/cancel-job.ts'
import { readWaiting } from '../../../store/db/queue/read-waiting.ts'
import { planKey } from '../../../store/objects/job-keys.ts'
import { removeExpired } from '../../../workflows/janitor/retention.ts'
import { addAccount } from '../../store/database.ts'
import { film, moving, picture, words } from '../films.ts'
import { type Answer, type PaperNode, withPaperNode } from '../paper-node.ts'
import { type Parts, startParts } from '../parts.ts'

let parts: Parts

test.before(async () => {
  parts = await startParts()
})
test.after.always(() => parts?.stop())

function withNode<T>(
  how: { slots?: number; answer?: Answer },
  work: (node: PaperNode) => Promise<T>,
): Promise<T> {
  return withPaperNode(parts, how, work)
}

async function planOf(accountId: string, jobId: string): Promise<Plan['segments']> {
  const plan: Plan = JSON.parse(String(await parts.objects.read(planKey({ accountId, jobId }))))
  return plan.segments
}

test.serial('stored objects are not made again', async (t) => {
  const account = await addAccount(parts.db)
  await withNode({ slots: 2 }, async (node) => {
    const first4 = { ...moving('A', 4), exitEnd: 4 }
    const late = (html: string) => ({ ...words(html), enterBegin: 4 })
    const payload = (html: string) => ({ ...film, duration: 8, visuals: [first4, late(html)] })
    const kindsOf = async (html: string) => {
      const before = node.done.length
      const id = await parts.submit(account, payload(html))
      const job = await parts.waitUntil(account, id)
      t.is(job.state, 'completed', JSON.stringify(job.error))
      const kinds = node.done.slice(before).map(({ kind }) => kind)
      return { job, kinds, frames: job.frames }
    }
    const first = await kindsOf('B')
    t.true(first.kinds.includes('bake'))
    const again = await kindsOf('B')
    t.deepEqual(again.kinds, [])
    t.deepEqual(again.frames, { total: 80, reused: 80, painted: 0, done: 0 })
    const changed = await kindsOf('C')
    t.deepEqual(
      changed.kinds.filter((kind) => kind !== 'render'),
      ['bake', 'assemble'],
    )
    t.true(changed.frames.reused >= 40 && changed.frames.reused < 80)
    const other = await addAccount(parts.db)
    const id = await parts.submit(other, payload('B'))
    t.is((await parts.waitUntil(other, id)).frames.reused, first.frames.reused)
  })
})

test.serial('an identical film or still has its own, equal file and thumbnail', async (t) => {
  const account = await addAccount(parts.db)
  const still = { type: 'image', width: 64, height: 48, visuals: [words('Still')] }
  const moved = { ...film, visuals: [moving('Same', 4)] }
  for (const payload of [moved, still]) {
    await withNode({}, async (node) => {
      const finish = async (accountId: string, body: Record<string, unknown>) => {
        const before = node.done.length
        const job = await parts.waitUntil(accountId, await parts.submit(accountId, body))
        t.is(job.state, 'completed', JSON.stringify(job.error))
        return { job, tasks: node.done.length - before }
      }
      const fileOf = async (key: string | null) => String(await parts.objects.read(key ?? 'none'))
      const first = (await finish(account, payload)).job
      const again = await finish(account, payload)
      t.is(again.tasks, 0)
      t.deepEqual(again.job.result, first.result)
      t.is(again.job.creditsCharged, first.creditsCharged)
      t.not(again.job.outputKey, first.outputKey)
      t.is(await fileOf(again.job.outputKey), await fileOf(first.outputKey))
      t.is(await fileOf(again.job.thumbnailKey), await fileOf(first.thumbnailKey))
      const other = await finish(await addAccount(parts.db), payload)
      t.true(other.tasks > 0, 'another account has made its own')
      const title = await finish(account, { ...payload, name: 'Another title' })
      t.is(title.tasks > 0, payload === moved, 'a title is a part of a film’s file')

      const past = { files_expire_at: new Date(0) }
      await parts.db.updateTable('jobs').set(past).where('id', '=', first.id).execute()
      await removeExpired(parts)
      t.is((await parts.waitUntil(account, first.id)).outputKey, null)
      t.is((await finish(account, payload)).tasks, 0, 'files that were kept outlive their job')
      await parts.db.updateTable('jobs').set(past).where('id', '=', again.job.id).execute()
      await removeExpired(parts)
      t.is(await parts.objects.stat(again.job.outputKey ?? 'none'), undefined)

      await parts.objects.remove([first.outputKey ?? 'none'])
      t.is((await finish(account, payload)).tasks, 1, 'a file that was lost is put together anew')
      t.is((await finish(account, payload)).tasks, 0)
    })
  }
})

test.serial('a URL is asked again for each job, its file kept once', async (t) => {
  const account = await addAccount(parts.db)
  await withNode({}, async (node) => {
    const payload = { ...film, visuals: [picture] }
    const ingests: unknown[] = []
    for (const count of [1, 2]) {
      // Submitted after the one before was fetched.
      const id = await parts.submit(account, payload, { ageMs: 0 })
      const job = await parts.waitUntil(account, id)
      t.is(job.state, 'completed', JSON.stringify(job.error))
      const done = node.done.filter(({ kind }) => kind === 'ingest')
      t.is(done.length, count)
      ingests.push(done.at(-1)?.spec.known)
    }
    const digest = createHash('sha256').update(picture.src).digest('hex')
    t.deepEqual(ingests, [undefined, { digest }])
    const media = await parts.db
      .selectFrom('artifacts')
      .select('digest')
      .where('account_id', '=', account)
      .where('kind', '=', 'media')
      .execute()
    t.deepEqual(media, [{ digest }])
    t.deepEqual(node.done.at(-1)?.kind, 'ingest')
  })
})

test.serial('a URL that its origin calls fresh is not asked again later', async (t) => {
  const account = await addAccount(parts.db)
  const src = 'https://example.com/fresh.mp3'
  const payload = { ...film, visuals: [moving('Hi', 4)], audios: [{ src }] }
  await withNode({}, async (node) => {
    const kinds = async (accountId: string) => {
      const before = node.done.length
      const job = await parts.waitUntil(accountId, await parts.submit(accountId, payload))
      t.is(job.state, 'completed', JSON.stringify(job.error))
      return node.done.slice(before).map(({ kind }) => kind)
    }
    t.true((await kinds(account)).includes('ingest'))
    t.deepEqual(await kinds(account), [])
    t.true((await kinds(await addAccount(parts.db))).includes('ingest'))
  })
})

test.serial('a node’s no-change answer ends the job where nothing was known', async (t) => {
  const account = await addAccount(parts.db)
  const digest = '0'.repeat(64)
  const answer: Answer = ({ kind }) =>
    kind === 'ingest' ? { result: { digest, bytes: 0, freshSeconds: 0 } } : 'answer'
  await withNode({ answer }, async () => {
    const id = await parts.submit(account, { ...film, visuals: [picture] })
    const job = await parts.waitUntil(account, id)
    t.is(job.error?.code, 'internal')
    t.is(job.creditsCharged, 0)
  })
})

test.serial('segments that several jobs need at once are rendered once', async (t) => {
  const account = await addAccount(parts.db)
  const card = { type: 'TEXT', html: '{{ who }}', enterBegin: 6, enterAnimation: 'fade' }
  const payload = { ...film, duration: 9, visuals: [{ ...moving('Hi', 6), exitEnd: 6 }, card] }
  const submit = (who: string) => parts.submit(account, { ...payload, variables: { who } })
  const ids = await Promise.all(['Ann', 'Bob', 'Cleo'].map(submit))
  await withNode({}, async (node) => {
    const jobs = await Promise.all(ids.map((id) => parts.waitUntil(account, id)))
    t.deepEqual(
      jobs.map(({ state }) => state),
      ['completed', 'completed', 'completed'],
    )
    const plans = await Promise.all(ids.map((jobId) => planOf(account, jobId)))
    const distinct = new Set(plans.flatMap((plan) => plan.map(({ fingerprint }) => fingerprint)))
    const rendered = node.done.flatMap(({ kind, jobId, spec }) => {
      const plan = plans[ids.indexOf(jobId ?? '')]
      return kind === 'render' ? (spec.segments as number[]).map((i) => plan?.[i]?.fingerprint) : []
    })
    t.true(distinct.size < plans.flat().length)
    t.deepEqual(rendered.toSorted(), [...distinct].sort())
    t.deepEqual(await parts.db.selectFrom('segment_claims').selectAll().execute(), [])
    for (const [i, { outputKey }] of jobs.entries()) {
      const made = String(await parts.objects.read(outputKey ?? ''))
      t.is(made, (plans[i] ?? []).map(({ fingerprint }) => fingerprint).join('\n'))
    }
  })
})

test.serial('a cancelled job leaves its segments to one that waits for them', async (t) => {
  const account = await addAccount(parts.db)
  const payload = { ...film, visuals: [moving('Both', 4)] }
  let first = ''
  const answer: Answer = ({ kind, jobId }) =>
    kind === 'render' && jobId === first ? 'hold' : 'answer'
  await withNode({ answer }, async (node) => {
    first = await parts.submit(account, payload)
    await parts.waitUntil(account, first, ({ stage }) => stage === 'render')
    const second = await parts.submit(account, payload)
    await parts.waitUntil(account, second, ({ frames }) => frames.reused === 40)
    await cancelJob(parts.db, { accountId: account, jobId: first, reason: 'test' })
    t.is((await parts.waitUntil(account, second)).state, 'completed')
    t.true(node.done.some(({ kind, jobId }) => kind === 'render' && jobId === second))
  })
})

test.serial('a job waiting for another’s segments says so and can be cancelled', async (t) => {
  const account = await addAccount(parts.db)
  const payload = { ...film, visuals: [moving('Waiting', 4)] }
  await withNode({ answer: ({ kind }) => (kind === 'render' ? 'hold' : 'answer') }, async () => {
    const first = await parts.submit(account, payload)
    await parts.waitUntil(account, first, ({ stage }) => stage === 'render')
    const second = await parts.submit(account, payload)
    await parts.waitUntil(account, second, ({ frames }) => frames.reused === 40)
    const waiting = await readWaiting(parts.db, second)
    t.like(waiting, { reason: 'segments_of_another_job', jobs: [first] })
    await cancelJob(parts.db, { accountId: account, jobId: second, reason: 'test' })
    const job = await parts.waitUntil(account, second)
    t.is(job.state, 'cancelled')
    t.is(job.creditsCharged, 0)
    await cancelJob(parts.db, { accountId: account, jobId: first, reason: 'test' })
  })
})
