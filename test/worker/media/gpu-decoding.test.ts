import { existsSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { pino } from 'pino'
import { readClipHeader } from '../../../worker/media/clip-probe.ts'
import { createGpuDecoding, tryGpu } from '../../../worker/media/gpu-decoding.ts'
import { sandbox, workOf } from '../encode/film-of.ts'
import { makeClip, upTo } from './numbered-clip.ts'

const hasGpu = existsSync('/dev/nvidiactl')
const onlyWithoutGpu = hasGpu ? test.skip : test

async function clipOf(t: ExecutionContext) {
  const { dir } = await workOf(t)
  const args = ['-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-g', '60', '-bf', '3']
  const file = await makeClip(join(dir, 'clip.mp4'), { numbers: upTo(60), args })
  return { file, format: 'mp4' } as const
}

test('a decoder giving frames later than the processor is not used', async (t) => {
  const { works, reason } = await tryGpu(await clipOf(t), ['-readrate', '1'], sandbox)
  t.false(works)
  t.regex(reason, /^the same frames in [\d.]+ s, by the processor in [\d.]+ s$/)
})

test('a decoder whose frames differ from the processor’s is not used', async (t) => {
  const trial = await tryGpu(await clipOf(t), ['-skip_frame', 'bidir'], sandbox)
  t.deepEqual(trial, { works: false, reason: 'its frames are not those of the processor' })
})

test('a decoder that does not begin is unused, and ffmpeg says why', async (t) => {
  const { works, reason } = await tryGpu(await clipOf(t), ['-hwaccel', 'nothing'], sandbox)
  t.false(works)
  t.regex(reason, /hwaccel/)
})

onlyWithoutGpu('a machine without a GPU decodes by processor, whatever it is told', async (t) => {
  const clip = await clipOf(t)
  const header = await readClipHeader(clip, { sandbox })
  if ('failure' in header) return t.fail(header.failure)
  const gpuDecoding = createGpuDecoding('auto', { sandbox, log: pino({ level: 'silent' }) })
  t.deepEqual(await gpuDecoding.flagsFor(clip, header), [])
})

test('a clip is tried once, and none after the GPU failed', async (t) => {
  const clip = await clipOf(t)
  const header = await readClipHeader(clip, { sandbox })
  if ('failure' in header) return t.fail(header.failure)
  let trials = 0
  const tryOn = async () => {
    trials += 1
    return { works: true, reason: 'a test' }
  }
  const tools = { sandbox, log: pino({ level: 'silent' }) }
  const gpuDecoding = createGpuDecoding('auto', tools, tryOn)
  const both = [gpuDecoding.flagsFor(clip, header), gpuDecoding.flagsFor(clip, header)]
  t.deepEqual(await Promise.all(both), [
    ['-hwaccel', 'cuda'],
    ['-hwaccel', 'cuda'],
  ])
  t.is(trials, 1)
  const others = [{ codec: 'hevc' }, { pixelFormat: 'yuv420p10le' }]
  for (const other of others) {
    t.deepEqual(await gpuDecoding.flagsFor({ ...clip, file: 'other' }, { ...header, ...other }), [])
  }
  t.is(trials, 1)
  gpuDecoding.giveUp()
  t.deepEqual(await gpuDecoding.flagsFor(clip, header), [])
  t.deepEqual(await createGpuDecoding('off', tools, tryOn).flagsFor(clip, header), [])
})
