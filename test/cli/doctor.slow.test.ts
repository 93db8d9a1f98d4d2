import test from 'ava'
import { table } from '../../cli/doctor/doctor.ts'
import { farm } from './run-farm.ts'

test('the table marks each finding and gives advice on problems', (t) => {
  const text = table([
    { name: 'Node', verdict: 'ok', facts: '24' },
    { name: 'Chromium', verdict: 'missing', facts: 'not on PATH', advice: 'get one' },
  ])
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
  const plain = text.replace(/\u001b\[\d+m/g, '')
  t.is(plain, '✓ Node      24\n✗ Chromium  not on PATH\n            → get one')
})

test('the doctor looks at everything here, and fails for what is missing', async (t) => {
  const { code, out } = await farm(['doctor'], { env: { FARM_CHROMIUM: '/nowhere/chromium' } })
  t.is(code, 1)
  t.regex(out, /^✗ Chromium +\/nowhere\/chromium: /m)
  t.regex(out, /^✓ libx264 +encoded a frame$/m)
  t.regex(out, /^✓ Skia on CPU +\d+\.\d ms a 720p frame$/m)
  const names = ['Node', 'ffmpeg', 'h264_nvenc', 'fonts', 'sandbox', 'Temporal', 'Postgres']
  for (const name of [...names, 'objects', 'scheduler', 'disk', 'clock']) {
    t.regex(out, new RegExp(`^. ${name} `, 'm'))
  }
})

test('a store and a scheduler that do not answer are named, as JSON too', async (t) => {
  const env = { FARM_OBJECTS: 'file:/etc/hostname/nowhere', FARM_SCHEDULER_ADDRESS: '127.0.0.1:1' }
  const { code, out } = await farm(['doctor', '--json'], { env })
  t.is(code, 1)
  const findings: { name: string; verdict: string; facts: string }[] = JSON.parse(out)
  const of = (name: string) => findings.find((each) => each.name === name)
  t.is(of('objects')?.verdict, 'missing')
  t.is(of('scheduler')?.verdict, 'missing')
  t.regex(of('scheduler')?.facts ?? '', /^127\.0\.0\.1:1: /)
  t.is(of('disk')?.verdict, 'ok')
})
