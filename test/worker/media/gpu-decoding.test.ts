import test from 'ava'
import { chooseGpuDecoding, gpuDecoder, tryDecoder } from '../../../worker/media/gpu-decoding.ts'
import { createSandbox, gpuFiles } from '../../../worker/sandbox.ts'

const sandbox = await createSandbox('auto')
const limits = { memoryBytes: 2 ** 30, cpuSeconds: 10, fileBytes: 2 ** 20 }

test('a decoder that takes longer than the processor is not used', async (t) => {
  const { works, reason } = await tryDecoder(['-readrate', '6'], sandbox)
  t.false(works)
  t.regex(reason, /^4 s of 1080p took [\d.]+ s, the processor [\d.]+ s$/)
})

test('a decoder that gives other frames than the processor is not used', async (t) => {
  t.deepEqual(await tryDecoder(['-skip_frame', 'nokey'], sandbox), {
    works: false,
    reason: 'its frames are not those of the processor',
  })
})

test('a decoder that does not begin is not used, and ffmpeg says why', async (t) => {
  const { works, reason } = await tryDecoder(['-hwaccel', 'nothing'], sandbox)
  t.false(works)
  t.regex(reason, /hwaccel/)
})

test('where there is no GPU none decodes', async (t) => {
  if (gpuFiles().length > 0) {
    t.is((await chooseGpuDecoding('off', sandbox)).works, false)
    return
  }
  const { works, reason } = await chooseGpuDecoding('auto', sandbox)
  t.false(works)
  t.is(reason, "this machine has no files of NVIDIA's driver")
  t.false((await tryDecoder(gpuDecoder, sandbox)).works)
})

test.serial('only what may use a GPU is told which one is the node’s', async (t) => {
  const before = process.env.CUDA_VISIBLE_DEVICES
  process.env.CUDA_VISIBLE_DEVICES = 'GPU-1'
  t.teardown(() => {
    if (before === undefined) delete process.env.CUDA_VISIBLE_DEVICES
    else process.env.CUDA_VISIBLE_DEVICES = before
  })
  const seen = async (gpu: boolean) => {
    const words = ['-c', 'echo "[$CUDA_VISIBLE_DEVICES]"']
    const fence = { read: [], write: [], gpu, limits }
    const ended = await sandbox.run({ program: 'sh', args: words, fence, timeoutMs: 10_000 })
    return ended.stdout.trim() || ended.stderrTail
  }
  t.is(await seen(true), '[GPU-1]')
  t.is(await seen(false), '[]')
})
