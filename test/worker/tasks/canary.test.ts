import test from 'ava'
import { canaryFault } from '../../../core/fleet/canary.ts'
import { answerTo, hashes, resultOf } from './canary-answer.ts'

test('a real node paints the known canary, and its films show it', async (t) => {
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

test('a node that encodes no pictures passes without', async (t) => {
  const { outcome } = await answerTo(t, [])
  t.deepEqual(resultOf(outcome), { frames: hashes, films: [], sounds: [] })
  t.is(canaryFault(resultOf(outcome), { hashes, encoders: [] }), undefined)
})

test('an incomplete answer fails the canary', (t) => {
  const film = { encoder: 'libx264', frames: 8, width: 256, height: 256, psnr: 40 }
  const right = { frames: hashes, films: [film], sounds: [] }
  const asked = { hashes, encoders: ['libx264'] }
  t.is(canaryFault(right, asked), undefined)
  t.is(
    canaryFault({ frames: hashes }, asked),
    'the result does not have the form of a canary result',
  )
  t.is(canaryFault({ ...right, films: [] }, asked), 'libx264 encoded nothing')
  t.regex(
    canaryFault({ ...right, frames: hashes.with(3, '0') }, asked) ?? '',
    /^frame 3 differs from the expected frame/,
  )
  t.regex(canaryFault({ ...right, frames: hashes.slice(1) }, asked) ?? '', /^frame 0 differs/)
  t.regex(canaryFault({ ...right, frames: [...hashes, '0'] }, asked) ?? '', /^frame 8 differs/)
})
