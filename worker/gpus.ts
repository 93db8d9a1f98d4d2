import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const timeoutMs = 10_000

export type Gpu = {
  /** As nvidia-smi numbers them. */
  readonly index: number
  readonly uuid: string
  readonly name: string
  readonly memoryMb: number
}

/** The machine's GPUs as NVIDIA's driver lists them. Throws when there is no nvidia-smi. */
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

/** Memory of one device. @throws Error when there is none of this UUID or number */
export async function gpuMemoryMb(gpu: string): Promise<number> {
  const gpus = await listGpus()
  const found = gpus.find(({ index, uuid }) => uuid === gpu || String(index) === gpu)
  if (found) return found.memoryMb
  const known = gpus.map(({ index, uuid }) => `${index} (${uuid})`).join(', ') || 'none'
  throw new Error(`FARM_GPU must name a device of this machine: ${known}. Got ${gpu}`)
}

/** What the driver says of a device now; undefined is what it does not know. */
export type GpuUse = {
  /** As nvidia-smi numbers them. */
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
 * Reads what the machine's GPUs, or the one named, are doing: at most every five seconds, however
 * often it is asked. None where there is no driver, or it does not answer.
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
    // What a device does not have is `[N/A]` or `[Not Supported]`.
    const numbers = values.map((value) => (/^\d+$/.test(value) ? Number(value) : undefined))
    const [memoryMb, memoryUsedMb, utilisation, encoderSessions] = numbers
    return { index, memoryMb, memoryUsedMb, utilisation, encoderSessions }
  })
}
