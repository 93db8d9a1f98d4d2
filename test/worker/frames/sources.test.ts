import test from 'ava'
import { readConfig } from '../../../worker/config.ts'
import { deviceWith, frameSourceNames } from '../../../worker/frames/sources.ts'

const sourcesOf = (list: string) =>
  readConfig({ FARM_SCHEDULER_ADDRESS: '127.0.0.1:1', FARM_FRAME_SOURCES: list }).frameSources

test('a node uses all frame sources, the painter last', (t) => {
  t.deepEqual(sourcesOf(''), ['over-clip', 'patched', 'composed', 'painter'])
})

test('a list restricts sources in their own order and keeps the painter', (t) => {
  t.deepEqual(sourcesOf('patched, over-clip'), ['over-clip', 'patched', 'painter'])
  t.deepEqual(sourcesOf('painter'), ['painter'])
  t.deepEqual(sourcesOf('composed,painter'), ['composed', 'painter'])
})

test('an unknown frame source ends the start with the known names', (t) => {
  t.throws(() => sourcesOf('patched,brush'), {
    name: 'EnvError',
    message:
      'FARM_FRAME_SOURCES must be a list of over-clip, patched, composed, painter. Got "brush"',
  })
})

test('a restricted node names its sources with its device', (t) => {
  t.is(deviceWith('CPU', frameSourceNames), 'CPU')
  t.is(deviceWith('CPU', ['patched', 'painter']), 'CPU, frames by patched, painter')
})
