import { join } from 'node:path'
import test from 'ava'
import { sql } from 'kysely'
import { createRequest } from '../../../runtime/authority.ts'
import { moveNode } from '../../../store/db/fleet/move-node.ts'
import { registerNode } from '../../../store/db/fleet/register-node.ts'
import { openObjectStore } from '../../../store/objects/open.ts'
import { removeExpired } from '../../../workflows/janitor/retention.ts'
import { offer, startEnrollingFarm } from './enrolling-farm.ts'

const farm = await startEnrollingFarm()
test.after.always(farm.stop)
const { db, dir, env, enrolment, tokenOf } = farm

test('a thousand nodes in and out leave nothing behind', async (t) => {
  const { request: certificateRequest } = await createRequest()
  const before = await rowsLeft()
  const { lanes, ...plain } = offer
  for (let n = 0; n < 1_000; n += 1) {
    const asked = { token: await tokenOf(), certificateRequest, name: '', pool: '' }
    const { nodeId } = await enrolment.enrol(asked)
    await registerNode(db, { id: nodeId, name: `pod-${n}`, version: '1', offer: plain })
    await moveNode(db, { nodeId, act: 'leave', reason: 'its process is being stopped' })
  }
  t.true((await rowsLeft()) >= before + 2_000)
  await sql`update nodes set last_seen_at = now() - interval '2 hours'
    where name like 'pod-%'`.execute(db)
  const settings = { publicUrl: env.FARM_PUBLIC_URL, secret: env.FARM_SECRET }
  const objects = openObjectStore(new URL(`file:${join(dir, 'objects')}`), settings)
  while (await removeExpired({ db, objects }));
  t.true((await rowsLeft()) < before + 10, `${await rowsLeft()} rows, ${before} before`)
})

/** Rows of everything that a node may leave. */
async function rowsLeft(): Promise<number> {
  const { rows } = await sql<{ count: number }>`select (select count(*) from nodes)
    + (select count(*) from node_certificates) + (select count(*) from gone_nodes)
    + (select count(*) from node_media) + (select count(*) from invitations) as count`.execute(db)
  return Number(rows[0]?.count)
}
