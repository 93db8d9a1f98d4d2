import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { enrol, openIdentity } from '../../../worker/enrolment/enrol.ts'
import { connectRenewing } from '../../../worker/enrolment/renewing-client.ts'
import { offer, startEnrollingFarm } from '../../scheduler/enrolment/enrolling-farm.ts'
import { silent } from '../../store/database.ts'

const farm = await startEnrollingFarm()
test.after.always(farm.stop)
const { db, address, tokenOf, settingsOf, connect, newInvitation, nodeOf } = farm

test('a machine keeps its identity when it starts again', async (t) => {
  const { token } = await newInvitation()
  const settings = settingsOf(token)
  const options = { name: 'blue-2', pool: '', log: silent }
  const first = await openIdentity(settings, options)
  t.deepEqual(await openIdentity(settings, options), first)
  await t.throwsAsync(openIdentity(settingsOf(token), options), {
    message: 'The node was not enrolled: The invitation must be open. It is used up.',
  })
})

test('certificates are renewed at half of their life', async (t) => {
  const { token } = await newInvitation()
  for (const settings of [settingsOf(token), settingsOf(await tokenOf())]) {
    const identity = await enrol(settings, { name: 'n', pool: '' })
    const aged = { ...identity, issuedAt: identity.issuedAt - 2 * 86_400_000 }
    const renewed: string[] = []
    const client = connectRenewing({
      ...{ address, config: settings, identity: aged, name: 'n', pool: '', log: silent },
      onRenewed: (next) => void renewed.push(next.nodeId),
      everyMs: 10,
    })
    t.teardown(() => client.close())
    const { nodeId } = identity
    for (;;) {
      const known = await db
        .selectFrom('node_certificates')
        .select('fingerprint')
        .where('node_id', '=', nodeId)
        .execute()
      if (known.length > 1) break
      await sleep(10)
    }
    await client.register({ nodeId, name: 'n', version: '1', offer })
    t.truthy(await nodeOf(nodeId))
    while (renewed.length === 0) await sleep(10)
    t.deepEqual(renewed, [nodeId])
  }
})

test('a pod that the farm forgot enrols again', async (t) => {
  const settings = settingsOf(await tokenOf())
  const identity = await enrol(settings, { name: 'n', pool: '' })
  const client = connectRenewing({
    ...{ address, config: settings, identity, name: 'n', pool: '', log: silent, everyMs: 10 },
  })
  t.teardown(() => client.close())
  const { nodeId } = identity
  const register = () => client.register({ nodeId, name: 'n', version: '1', offer })
  await register()
  await db.deleteFrom('node_certificates').where('node_id', '=', nodeId).execute()
  // Schedulers know a certificate for a moment after its end.
  const request = { nodeId, name: 'n', version: '1', offer }
  const succeeds = (call: Promise<unknown>) => call.then(Boolean, () => false)
  const old = connect(t, identity)
  while (await succeeds(old.register(request))) await sleep(10)
  while (!(await succeeds(register()))) await sleep(10)
  t.false(await succeeds(old.register(request)))
})
