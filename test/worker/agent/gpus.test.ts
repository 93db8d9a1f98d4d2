import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { createUsageReader } from '../../../runtime/machine-usage.ts'
import { createWorkerMetrics } from '../../../worker/metrics.ts'

/** Puts an nvidia-smi that runs `script` first in PATH: this machine may have no driver. */
function withDriver(t: ExecutionContext, script: string): void {
  const dir = mkdtempSync(join(tmpdir(), 'farm-gpus-'))
  writeFileSync(join(dir, 'nvidia-smi'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const { PATH } = process.env
  process.env.PATH = [dir, PATH].join(delimiter)
  t.teardown(() => {
    process.env.PATH = PATH
    rmSync(dir, { recursive: true })
  })
}

async function gpuLines(gpu?: string): Promise<string[]> {
  const { registry, watchMachine } = createWorkerMetrics()
  watchMachine({ usage: createUsageReader({ dir: tmpdir() }), gpu, lanes: { count: 2, busy: 1 } })
  const text = await registry.metrics()
  return text.split('\n').filter((line) => /^farm_(gpu|lanes)/.test(line))
}

// Serial, because PATH belongs to the whole process.
test.serial('the driver’s figures of each GPU are reported, unknown ones left out', async (t) => {
  withDriver(t, `echo '0, 81559, 1024, 37, 2'; echo '1, 81559, [N/A], [Not Supported], 0'`)
  t.deepEqual(await gpuLines(), [
    'farm_lanes{role="worker"} 2',
    'farm_lanes_busy{role="worker"} 1',
    'farm_gpu_memory_bytes{gpu="0",role="worker"} 85520809984',
    'farm_gpu_memory_bytes{gpu="1",role="worker"} 85520809984',
    'farm_gpu_memory_used_bytes{gpu="0",role="worker"} 1073741824',
    'farm_gpu_utilisation_ratio{gpu="0",role="worker"} 0.37',
    'farm_gpu_encoder_sessions{gpu="0",role="worker"} 2',
    'farm_gpu_encoder_sessions{gpu="1",role="worker"} 0',
  ])
})

test.serial('a process with one device asks for that one', async (t) => {
  withDriver(t, `case "$*" in --id=GPU-7\\ *) echo '3, 100, 10, 0, 0';; *) exit 6;; esac`)
  t.true((await gpuLines('GPU-7')).includes('farm_gpu_utilisation_ratio{gpu="3",role="worker"} 0'))
})

test.serial('a driver that fails costs its figures and nothing else', async (t) => {
  withDriver(t, 'exit 9')
  t.deepEqual(
    (await gpuLines()).map((line) => line.split('{')[0]),
    ['farm_lanes', 'farm_lanes_busy'],
  )
})
