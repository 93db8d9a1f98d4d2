import { rmSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { table } from '../../cli/doctor/doctor.ts'
import { onPath } from '../../infra/setup/cache.mjs'
import { withLock } from '../../infra/setup/hold-lock.mjs'
import { farm, newFolder } from './run-farm.ts'

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

test('a store and a scheduler without answer are named, also in JSON', async (t) => {
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

const onDebian = process.platform === 'linux' && onPath('apt-get') ? test : test.skip

onDebian('an ffmpeg that is being built in the background is told', async (t) => {
  const folder = newFolder()
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const build = join(folder, 'farm', 'ffmpeg')
  const examine = () => farm(['doctor', '--json'], { env: { XDG_CACHE_HOME: folder } })
  const { out } = await withLock(join(build, 'build.lock'), examine)
  const findings: { name: string; verdict: string; facts: string }[] = JSON.parse(out)
  const found = findings.find(({ name }) => name === 'ffmpeg')
  t.is(found?.verdict, 'optional')
  t.regex(found?.facts ?? '', / \(on PATH\); the farm's own is being built, .*build\.log\)$/)
})
