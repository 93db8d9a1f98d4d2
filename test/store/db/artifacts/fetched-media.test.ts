import test from 'ava'
import { findFetchedMedia } from '../../../../store/db/artifacts/find-fetched-media.ts'
import { putFetchedMedium } from '../../../../store/db/artifacts/put-fetched-medium.ts'
import { addAccount, addJob, addTask, startDatabase } from '../../database.ts'
import { putArtifact } from '../jobs/one-job.ts'

const { db, stop } = await startDatabase()
test.after.always(stop)

const digest = 'd'.repeat(64)
const urlDigest = 'e'.repeat(64)

/** Records the result of the job's task `ingest-0`, without a freshness. */
async function found(accountId: string, jobId: string): Promise<void> {
  await putArtifact(db, {
    ...{ accountId, kind: 'media', digest, objectKey: 'key', bytes: 9, facts: {} },
  })
  await putFetchedMedium(db, {
    ...{ accountId, jobId, task: 'ingest-0', urlDigest, expect: 'image', digest, facts: {} },
    ...{ etag: undefined, lastModified: undefined, freshSeconds: 0 },
  })
}

async function isCurrent(accountId: string, jobId: string): Promise<boolean | undefined> {
  const searches = [{ jobId, urlDigests: [urlDigest] }]
  const [found = []] = await findFetchedMedia(db, { accountId, searches })
  return found[0]?.isCurrent
}

test('a fetched medium is current for jobs submitted before its fetch', async (t) => {
  const accountId = await addAccount(db)
  const first = await addJob(db, accountId)
  const meanwhile = await addJob(db, accountId)
  await addTask(db, { accountId, jobId: first, name: 'ingest-0', kind: 'ingest', spec: {} })
  await found(accountId, first)
  t.true(await isCurrent(accountId, first))
  t.true(await isCurrent(accountId, meanwhile))
  t.false(await isCurrent(accountId, await addJob(db, accountId)))
})
