import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { freePorts } from '../../infra/local/ports.ts'
import { settleJob } from '../../store/db/jobs/settle-jobs.ts'
import { submitBulk } from '../api/bulks/submitted-bulk.ts'
import { type Gateway, startGateway } from '../api/gateway.ts'
import { farm, newFolder } from './run-farm.ts'

const folder = newFolder()
let gateway: Gateway
let url: string

test.before(async () => {
  const port = (await freePorts(1))[0] ?? 0
  url = `http://127.0.0.1:${port}`
  gateway = await startGateway({ publicUrl: url })
  await gateway.server.listen({ port, host: '127.0.0.1' })
})
test.after.always(async () => {
  await gateway?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** A bulk of three: the first has a file, the second failed, the third was cancelled. */
async function endedBulk() {
  const bulk = await submitBulk(gateway)
  const { accountId, key, jobIds, post } = bulk
  const [done = '', failed = '', cancelled = ''] = jobIds
  const outputKey = `accounts/${accountId}/jobs/${done}/output`
  await gateway.objects.put(outputKey, Buffer.from('a film'))
  await gateway.db.updateTable('jobs').set({ state: 'rendering' }).where('id', '=', done).execute()
  const job = { accountId, reason: 'test' }
  await settleJob(gateway.db, {
    ...{ ...job, jobId: done },
    settlement: {
      ...{ to: 'completed', outputKey, thumbnailKey: null },
      result: { duration: 2, size: 6, width: 320, height: 180, format: 'mp4' },
      links: { url: 'https://example.com/o', thumbnailUrl: null },
    },
  })
  const error = { code: 'media_unreachable', message: 'No such picture', details: [] } as const
  await settleJob(gateway.db, { ...job, jobId: failed, settlement: { to: 'failed', error } })
  await post(`/api/jobs/${cancelled}/cancel`)
  const env = { FARM_URL: url, FARM_API_KEY: key }
  const run = async (...args: string[]) => await farm(['bulk', ...args], { cwd: folder, env })
  return { ...bulk, run }
}

test('failed items are rendered again as a new bulk', async (t) => {
  const { bulkId, run, get } = await endedBulk()
  const failed = await run('retry', bulkId)
  t.regex(failed.out, /^blk_\w{20}: 1 job, 2 credits held\n$/, failed.err)
  const both = await run('retry', bulkId, '--cancelled', '--json')
  const { jobIds } = JSON.parse(both.out)
  const jobs = await Promise.all(
    jobIds.map(async (id: string) => (await get(`/api/jobs/${id}`)).json()),
  )
  t.deepEqual(
    jobs.map(({ name, bulkIndex }) => [name, bulkIndex]),
    [
      ['Bob', 1],
      ['Cleo', 2],
    ],
  )
})

test('all files of a bulk are saved as one ZIP', async (t) => {
  const { bulkId, run } = await endedBulk()
  const { code, out, err } = await run('download', bulkId)
  t.is(code, 0, err)
  t.is(out, 'party.zip\n  1 file\n')
  const zip = readFileSync(join(folder, 'party.zip'))
  t.true(zip.includes('1-Ada.mp4') && zip.includes('a film'))
  t.is((await run('download', bulkId, '-o', 'deep/all.zip')).code, 0)
  t.deepEqual(readFileSync(join(folder, 'deep/all.zip')), zip)
})

test('a bulk that cannot be taken is refused in words', async (t) => {
  const bulk = await submitBulk(gateway)
  const env = { FARM_URL: url, FARM_API_KEY: bulk.key }
  const none = await farm(['bulk', 'download', bulk.bulkId], { cwd: folder, env })
  t.is(none.code, 1)
  t.regex(none.err, /must have a finished file to be downloaded\. It has none/)
  const notFailed = await farm(['bulk', 'retry', bulk.bulkId], { cwd: folder, env })
  t.is(notFailed.code, 1)
  t.regex(notFailed.err, /must have jobs that are failed/)
  const nowhere = await farm(['bulk', 'retry', bulk.bulkId], { cwd: folder, env: { FARM_URL: '' } })
  t.is(nowhere.code, 2)
  t.regex(nowhere.err, /FARM_URL and FARM_API_KEY must name the farm/)
  t.is((await farm(['bulk', 'retry', 'party'], { cwd: folder, env })).code, 2)
  const noCsv = await farm(['bulk', 'card.json'], { cwd: folder, env })
  t.is(noCsv.code, 2)
  t.regex(noCsv.err, /required option '--csv <rows>' not specified/)
})
