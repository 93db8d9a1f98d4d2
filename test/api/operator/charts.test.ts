import test from 'ava'
import { sql } from 'kysely'
import { figuresToKeep } from '../../../core/charts/kept-figures.ts'
import { nodeLiveMs } from '../../../core/fleet/node-states.ts'
import { keepFigureSample } from '../../../store/db/fleet/figure-samples.ts'
import { readFleetFigures } from '../../../store/db/fleet/read-fleet-figures.ts'
import { addNode } from '../../store/database.ts'
import { startGateway } from '../gateway.ts'
import { addOperator, callsAs } from './operators.ts'

const gateway = await startGateway({ operatorApi: 'on' })
const { db } = gateway
const { headers } = await addOperator(gateway, 'viewer')
const { get } = callsAs(gateway, headers)
test.after.always(() => gateway.stop())

async function keepNow(): Promise<void> {
  await keepFigureSample(
    db,
    figuresToKeep(await readFleetFigures(db, { seenWithinMs: nodeLiveMs })),
  )
}

test.serial('without Prometheus a chart shows the hour that is kept', async (t) => {
  await keepNow()
  await sql`update figure_samples set at = now() - interval '10 minutes'`.execute(db)
  await addNode(db)
  await keepNow()
  const { source, groups } = (await get('/charts')).json()
  t.is(source, 'kept')
  const [{ name }] = groups[0].rows[0].charts
  t.is(name, 'queued')
  const { times, lines, fault } = (await get('/charts/nodes')).json()
  t.is(fault, null)
  t.is(times.length, 2)
  t.deepEqual(lines, [{ label: 'Nodes that take work', values: [0, 1] }])
  t.is((await get('/charts/nodes?minutes=5')).json().times.length, 1)
  t.is((await get('/charts/fleet-depth')).statusCode, 404)
})

test.serial('samples of more than an hour ago are removed', async (t) => {
  await sql`update figure_samples set at = at - interval '2 hours'`.execute(db)
  await keepNow()
  const { rows } = await sql`select from figure_samples`.execute(db)
  t.is(rows.length, 1)
})
