import test from 'ava'
import { makeOffer } from '../../../worker/agent/offer.ts'
import { lanesOf, readConfig } from '../../../worker/config.ts'
import { chooseCanvas } from '../../../worker/paint/choose.ts'
import { createSandbox } from '../../../worker/process/sandbox.ts'
import { silent } from '../../store/database.ts'

const env = { FARM_SCHEDULER_ADDRESS: '127.0.0.1:1', FARM_KINDS: 'still', FARM_SANDBOX: 'off' }

test('a node offers its slots and the lanes that they share', async (t) => {
  const config = readConfig({ ...env, FARM_SLOTS: '6', FARM_LANES: '3' })
  const { canvas } = await chooseCanvas('napi')
  const sandbox = await createSandbox('off')
  t.like(await makeOffer(config, { canvas, sandbox, log: silent }), { slots: 6, lanes: 3 })
})

test('a node has no more lanes than its encoder has sessions', (t) => {
  t.is(lanesOf({ lanes: 8, encoderSessions: 3 }), 3)
  t.is(lanesOf({ lanes: 2, encoderSessions: 3 }), 2)
  t.is(lanesOf({ lanes: 8, encoderSessions: 0 }), 8)
})
