import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { probeEncoders } from '../../../worker/encode/probe.ts'
import { createSandbox } from '../../../worker/process/sandbox.ts'

const folder = mkdtempSync(join(tmpdir(), 'farm-test-ffmpeg-'))
test.after.always(() => rmSync(folder, { recursive: true, force: true }))

/** Runs the system's ffmpeg, after a script. */
function installFfmpeg(script: string): void {
  const real = execFileSync('sh', ['-c', 'command -v ffmpeg'], { encoding: 'utf8' }).trim()
  const text = `#!/bin/sh\nreal=${real}\n${script}\nexec $real "$@"\n`
  writeFileSync(join(folder, 'ffmpeg'), text, { mode: 0o755 })
  writeFileSync(join(folder, 'ffprobe'), '#!/bin/sh\n', { mode: 0o755 })
}

test('encoders are probed with the lists of ffmpeg 7.1, which hide devices', async (t) => {
  // Since then a list of formats has a third column, of devices.
  const columns = String.raw`s/^ \(..\) \([a-z0-9]\)/ \1  \2/; s/^ \(..\)  lavfi/ \1d lavfi/`
  installFfmpeg(`case "$*" in -formats) $real -formats | sed '${columns}'; exit 0;; esac`)
  process.env.FARM_FFMPEG = folder
  t.teardown(() => delete process.env.FARM_FFMPEG)
  const probes = await probeEncoders(await createSandbox('off'))
  const working = probes.filter(({ works }) => works).map(({ name }) => name)
  t.deepEqual(
    ['libx264', 'mpeg4', 'aac'].filter((name) => !working.some((each) => each === name)),
    [],
    JSON.stringify(probes),
  )
  const nvenc = probes.find(({ name }) => name === 'h264_nvenc')
  if (nvenc?.works === false) t.regex(nvenc.reason, /nvenc|encoder|cuda/i)
})
