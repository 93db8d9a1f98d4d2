import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const timeoutMs = 10_000

export type Gpu = {
  /** Index by nvidia-smi's numbering. */
  readonly index: number
  readonly uuid: string
  readonly name: string
  readonly memoryMb: number
}

/**
 * Lists the machine's GPUs as NVIDIA's driver sees them. @throws Error when there is no nvidia-smi
 */
export async function listGpus(): Promise<readonly Gpu[]> {
  const args = ['--query-gpu=index,uuid,name,memory.total', '--format=csv,noheader,nounits']
  const { stdout } = await run('nvidia-smi', args, { timeout: timeoutMs })
  return stdout
    .split('\n')
    .map((line) => line.split(', '))
    .filter(([, uuid]) => uuid)
    .map(([index, uuid = '', name = '', memory]) => ({
      index: Number(index),
      uuid,
      name,
      memoryMb: Number(memory) || 0,
    }))
}

/** Returns the memory of one device. @throws Error when no device has this UUID or number */
export async function gpuMemoryMb(gpu: string): Promise<number> {
  const gpus = await listGpus()
  const found = gpus.find(({ index, uuid }) => uuid === gpu || String(index) === gpu)
  if (found) return found.memoryMb
  const known = gpus.map(({ index, uuid }) => `${index} (${uuid})`).join(', ') || 'none'
  throw new Error(`FARM_GPU must name a device of this machine: ${known}. Got ${gpu}`)
}

/** Use of a device as the driver reports it; undefined = unknown. */
export type GpuUse = {
  /** Index by nvidia-smi's numbering. */
  readonly index: string
  readonly memoryMb: number | undefined
  readonly memoryUsedMb: number | undefined
  /** Percent. */
  readonly utilisation: number | undefined
  readonly encoderSessions: number | undefined
}

const usedFields = 'memory.total,memory.used,utilization.gpu,encoder.stats.sessionCount'
const useKeptMs = 5_000

/**
 * Reads the use of the machine's GPUs, or of the one named, cached for five seconds. Returns an
 * empty list without a driver, or when it does not answer.
 */
export function watchGpus(gpu: string | undefined): () => Promise<readonly GpuUse[]> {
  let use: Promise<readonly GpuUse[]> = Promise.resolve([])
  let readAt = Number.NEGATIVE_INFINITY
  return () => {
    const now = performance.now()
    if (now - readAt > useKeptMs) {
      readAt = now
      use = readGpuUse(gpu).catch(() => [])
    }
    return use
  }
}

async function readGpuUse(gpu: string | undefined): Promise<readonly GpuUse[]> {
  const only = gpu === undefined ? [] : [`--id=${gpu}`]
  const args = [...only, `--query-gpu=index,${usedFields}`, '--format=csv,noheader,nounits']
  const { stdout } = await run('nvidia-smi', args, { timeout: timeoutMs })
  const rows = stdout.trim().split('\n')
  return rows.map((row) => {
    const [index = '', ...values] = row.split(', ')
    // nvidia-smi prints `[N/A]` or `[Not Supported]` for missing values.
    const numbers = values.map((value) => (/^\d+$/.test(value) ? Number(value) : undefined))
    const [memoryMb, memoryUsedMb, utilisation, encoderSessions] = numbers
    return { index, memoryMb, memoryUsedMb, utilisation, encoderSessions }
  })
}
