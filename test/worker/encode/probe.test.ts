import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { probeEncoders } from '../../../worker/encode/probe.ts'
import { createSandbox } from '../../../worker/process/sandbox.ts'

const folder = mkdtempSync(join(tmpdir(), 'farm-test-ffmpeg-'))
test.after.always(() => rmSync(folder, { recursive: true, force: true }))

test.serial(
  'an ffmpeg is judged by what it encodes and not by the shape of its lists',
  async (t) => {
    const real = execFileSync('sh', ['-c', 'command -v ffmpeg'], { encoding: 'utf8' }).trim()
    // Since ffmpeg 7.1 a format that is a device has one more letter before its name.
    const script = `#!/bin/sh
for word; do case "$word" in -formats|-encoders|-codecs|-filters) echo " D d lavfi Virtual"; exit 0;; esac; done
exec ${real} "$@"
`
    writeFileSync(join(folder, 'ffmpeg'), script, { mode: 0o755 })
    writeFileSync(join(folder, 'ffprobe'), '#!/bin/sh\n', { mode: 0o755 })
    process.env.FARM_FFMPEG = folder
    t.teardown(() => delete process.env.FARM_FFMPEG)
    const probes = await probeEncoders(await createSandbox('off'))
    const working = probes.filter(({ works }) => works).map(({ name }) => name)
    t.true(working.includes('libx264'), JSON.stringify(probes))
    t.true(working.includes('aac'))
  },
)
