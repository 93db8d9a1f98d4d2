import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import {
  type CanaryResult,
  canaryFault,
  canaryFrames,
  canaryKind,
  canaryObject,
  canaryPixels,
} from '../../../core/canary.ts'
import { createLanes } from '../../../worker/lanes.ts'
import { type Outcome, runTask } from '../../../worker/run-task.ts'
import { nodeOf, objectsOf } from './node-of.ts'

const hashes = canaryFrames().map((frame) =>
  createHash('sha256').update(canaryPixels(frame)).digest('hex'),
)

/** A real node's answer to a canary for these encoders, and what it left in the store. */
async function answerTo(t: ExecutionContext, encoders: readonly string[]) {
  const objects = await objectsOf(t)
  const { node, workDir } = await nodeOf(t)
  const url = objects.url(canaryObject)
  const task = {
    id: 'canary-1',
    attempt: 1,
    kind: canaryKind,
    jobId: '',
    accountId: '',
    slots: 1,
    spec: { encoders },
    inputs: [{ name: canaryObject, url }],
    outputs: [{ name: canaryObject, url }],
  }
  const outcome = await runTask(task, {
    node: { ...node, lanes: createLanes(1) },
    workDir,
    signal: new AbortController().signal,
    progress: () => undefined,
    previewed: () => undefined,
  })
  return { outcome, stored: objects.objects.get(canaryObject) }
}

function resultOf(outcome: Outcome): CanaryResult {
  if (outcome.done) return outcome.result as CanaryResult
  throw new Error(`${outcome.message} ${outcome.logTail}`)
}

/**
 * An ffmpeg in front of PATH that runs the real one, its words changed by a script where there is one.
 * It is there before anything looks for ffmpeg: what is found once is remembered.
 */
const bin = mkdtempSync(join(tmpdir(), 'farm-canary-'))
const change = join(bin, 'change')
const wrapper = `#!/bin/bash\nPATH=\${PATH#*:}\nif [ -e '${change}' ]; then . '${change}'; fi\nexec ffmpeg "$@"\n`
writeFileSync(join(bin, 'ffmpeg'), wrapper, { mode: 0o755 })
process.env.PATH = [bin, process.env.PATH].join(delimiter)
test.after.always(() => rmSync(bin, { recursive: true }))

/** Until the end of the test `script` is run before what encodes by `encoder`. */
function breakEncoder(t: ExecutionContext, encoder: string, script: string): void {
  writeFileSync(change, `if [[ " $* " =~ " -c:"[av]" ${encoder} " ]]; then ${script}; fi`)
  t.teardown(() => rmSync(change))
}

const before = (words: string) => `set -- "\${@:1:$#-1}" ${words} "\${@:$#}"`

test.serial('a real node paints the canary as it is known, and its films show it', async (t) => {
  const pictures = ['libx264', 'libvpx-vp9', 'mpeg4']
  const encoders = [...pictures, 'aac', 'libopus', 'libmp3lame']
  const { outcome, stored } = await answerTo(t, encoders)
  const result = resultOf(outcome)
  t.deepEqual(result.frames, hashes)
  t.log(...result.films, ...result.sounds)
  t.deepEqual(
    result.films.map(({ psnr, ...film }) => film),
    pictures.map((encoder) => ({ encoder, frames: 8, width: 256, height: 256 })),
  )
  t.is(canaryFault(result, { hashes, encoders }), undefined)
  t.true((stored?.length ?? 0) > 500)
})

test.serial('a node that encodes no pictures passes without', async (t) => {
  const { outcome } = await answerTo(t, [])
  t.deepEqual(resultOf(outcome), { frames: hashes, films: [], sounds: [] })
  t.is(canaryFault(resultOf(outcome), { hashes, encoders: [] }), undefined)
})

for (const [what, script, said] of [
  ['other pictures', before('-vf negate'), /like what was painted, by 30 dB\. Got \d\.\d dB/],
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
  ['half as loud', before('-af volume=0.5'), /by 20 dB\. Got [56]\.\d dB/],
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

test('an answer without what was asked for is none', (t) => {
  const film = { encoder: 'libx264', frames: 8, width: 256, height: 256, psnr: 40 }
  const right = { frames: hashes, films: [film], sounds: [] }
  const asked = { hashes, encoders: ['libx264'] }
  t.is(canaryFault(right, asked), undefined)
  t.is(canaryFault({ frames: hashes }, asked), 'its answer is not that of a canary')
  t.is(canaryFault({ ...right, films: [] }, asked), 'libx264 encoded nothing')
  t.regex(
    canaryFault({ ...right, frames: hashes.with(3, '0') }, asked) ?? '',
    /^its frame 3 is not/,
  )
  t.regex(canaryFault({ ...right, frames: hashes.slice(1) }, asked) ?? '', /^its frame 0 is not/)
  t.regex(canaryFault({ ...right, frames: [...hashes, '0'] }, asked) ?? '', /^its frame 8 is not/)
})
