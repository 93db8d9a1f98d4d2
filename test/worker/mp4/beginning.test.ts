import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'ava'
import type { EncoderSettings } from '../../../core/plan/plan.ts'
import { writeBeginning } from '../../../worker/mp4/beginning.ts'
import { readSamples } from '../../../worker/mp4/samples.ts'
import { encoderOf, encodeSegment, fine, movingFrame, outputOf, workOf } from '../encode/film-of.ts'

const size = { width: 160, height: 90, frameRate: 30 }
const frames = 60

async function framesOf(file: string): Promise<string[]> {
  const listed = await outputOf('ffmpeg', '-xerror', '-i', file, '-f', 'framemd5', '-')
  const lines = String(listed)
    .split('\n')
    .filter((line) => line.startsWith('0,'))
  return lines.map((line) => line.split(',').at(-1)?.trim() ?? '')
}

const kinds: Record<string, EncoderSettings & { readonly keyFrames?: readonly number[] }> = {
  'B-pictures': fine,
  'B-pictures that others are made of': { ...fine, preset: 'medium', crf: 30 },
  'key frames within': { ...fine, keyFrames: [7, 31] },
  VP9: encoderOf.webm,
  'MPEG-4': encoderOf.avi,
}
for (const [name, { keyFrames = [], ...encoder }] of Object.entries(kinds)) {
  test(`a frame is the same when only its references are decoded: ${name}`, async (t) => {
    const { dir } = await workOf(t)
    const at = { dir, index: 0, start: 0, frames }
    const { file } = await encodeSegment({ ...size, encoder, keyFrames }, at, (n) =>
      movingFrame(size, n),
    )
    const whole = await framesOf(file)
    t.is(whole.length, frames)
    const to = join(dir, 'beginning')
    for (const frame of [0, 2, 7, 30, 33, 59]) {
      const shown = await writeBeginning(file, { frame, to })
      t.is((await framesOf(to))[shown], whole[frame], `frame ${frame}`)
    }
  })
}

test('a frame needs half of the earlier pictures and no later ones', async (t) => {
  const { dir } = await workOf(t)
  const at = { dir, index: 0, start: 0, frames }
  const format = { ...size, encoder: { ...fine, crf: 30 }, keyFrames: [40] }
  const { file } = await encodeSegment(format, at, (n) => movingFrame(size, n))
  const to = join(dir, 'beginning')
  const countFor = async (frame: number) => {
    await writeBeginning(file, { frame, to })
    return (await readSamples(to)).samples.length
  }
  t.is(await countFor(40), 1)
  t.true((await countFor(39)) <= 30)
  t.true((await readFile(to)).length < (await readFile(file)).length)
  await t.throwsAsync(writeBeginning(file, { frame: 60, to }), {
    message: /must show its frame 60/,
  })
})
