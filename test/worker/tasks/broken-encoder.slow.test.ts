import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { canaryFault } from '../../../core/fleet/canary.ts'
import { answerTo, hashes, resultOf } from './canary-answer.ts'

/**
 * An ffmpeg that runs the system's, with arguments changed by a script where there is one. It must
 * be named before the first look-up of ffmpeg, which is cached.
 */
const bin = mkdtempSync(join(tmpdir(), 'farm-canary-'))
const change = join(bin, 'change')
const wrapper = `#!/bin/bash\nif [ -e '${change}' ]; then . '${change}'; fi\nexec ffmpeg "$@"\n`
writeFileSync(join(bin, 'ffmpeg'), wrapper, { mode: 0o755 })
writeFileSync(join(bin, 'ffprobe'), '#!/bin/sh\nexec ffprobe "$@"\n', { mode: 0o755 })
process.env.FARM_FFMPEG = bin
test.after.always(() => rmSync(bin, { recursive: true }))

/** Runs `script` before encodings by `encoder`, until the end of the test. */
function breakEncoder(t: ExecutionContext, encoder: string, script: string): void {
  writeFileSync(change, `if [[ " $* " =~ " -c:"[av]" ${encoder} " ]]; then ${script}; fi`)
  t.teardown(() => rmSync(change))
}

const before = (words: string) => `set -- "\${@:1:$#-1}" ${words} "\${@:$#}"`

for (const [what, script, said] of [
  [
    'other pictures',
    before('-vf negate'),
    /match the painted frames with a PSNR >= 30 dB\. Got \d\.\d dB/,
  ],
  ['every frame one late', before('-vf tpad=start=1,trim=end_frame=8'), /Got \d+\.\d dB/],
  [
    'too few frames',
    before(String.raw`-vf 'select=lt(n\,7)'`),
    /8 frames of 256x256\. It has 7 of 256x256/,
  ],
  ['another size', before('-vf scale=128:128'), /It has 8 of 128x128/],
] as const) {
  test.serial(`an encoder that writes ${what} is found, whichever it is`, async (t) => {
    breakEncoder(t, 'mpeg4', script)
    const encoders = ['libx264', 'mpeg4']
    const result = resultOf((await answerTo(t, encoders)).outcome)
    t.is(canaryFault(result, { hashes, encoders: ['libx264'] }), undefined)
    const fault = canaryFault(result, { hashes, encoders }) ?? ''
    t.log(fault)
    t.regex(fault, /^the film of mpeg4 must/)
    t.regex(fault, said)
  })
}

for (const [what, script, said] of [
  ['half as loud', before('-af volume=0.5'), /an SNR >= 20 dB\. Got [56]\.\d dB/],
  ['with its channels swapped', before("-af 'pan=stereo|c0=c1|c1=c0'"), /Got 0\.0 dB/],
  ['too short', before('-t 0.5'), /1 s long, give or take 0\.1\. Got 0\.[56]/],
  ['of noise', before("-af 'aeval=random(0)|random(1)'"), /Got 0\.\d dB/],
] as const) {
  test.serial(`an encoder that writes sound ${what} is found`, async (t) => {
    breakEncoder(t, 'libopus', script)
    const encoders = ['aac', 'libopus']
    const result = resultOf((await answerTo(t, encoders)).outcome)
    t.is(canaryFault(result, { hashes, encoders: ['aac'] }), undefined)
    const fault = canaryFault(result, { hashes, encoders }) ?? ''
    t.log(fault)
    t.regex(fault, /^the sound of libopus must/)
    t.regex(fault, said)
  })
}

test.serial('an encoder whose film cannot be decoded fails the canary by name', async (t) => {
  breakEncoder(t, 'libx264', `cat >/dev/null; head -c 9999 /dev/urandom >"\${@:$#}"; exit 0`)
  const { outcome } = await answerTo(t, ['libx264'])
  t.like(outcome, { done: false, code: 'internal' })
  t.regex('message' in outcome ? outcome.message : '', /^ffmpeg must decode what libx264 encoded\./)
})
