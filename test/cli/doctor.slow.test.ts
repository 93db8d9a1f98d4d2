import test from 'ava'
import { table } from '../../cli/doctor/doctor.ts'
import { farm } from './run-farm.ts'

test('the table has a mark and facts for each thing, and advice under what is not well', (t) => {
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
  for (const name of ['Node', 'ffmpeg', 'h264_nvenc', 'fonts', 'sandbox', 'Temporal', 'Postgres']) {
    t.regex(out, new RegExp(`^. ${name} `, 'm'))
  }
})
