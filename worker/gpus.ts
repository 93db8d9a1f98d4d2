import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)
const timeoutMs = 10_000

type Gpu = { readonly uuid: string; readonly name: string; readonly memoryMb: number }

/** The machine's GPUs as NVIDIA's driver lists them. Throws when there is no nvidia-smi. */
async function listGpus(): Promise<readonly Gpu[]> {
  const args = ['--query-gpu=uuid,name,memory.total', '--format=csv,noheader,nounits']
  const { stdout } = await run('nvidia-smi', args, { timeout: timeoutMs })
  return stdout
    .split('\n')
    .map((line) => line.split(', '))
    .filter(([uuid]) => uuid)
    .map(([uuid = '', name = '', memory]) => ({ uuid, name, memoryMb: Number(memory) || 0 }))
}

/** Memory of one device. @throws Error when there is none of this UUID or number */
export async function gpuMemoryMb(gpu: string): Promise<number> {
  const gpus = await listGpus()
  const found = gpus.find(({ uuid }, index) => uuid === gpu || String(index) === gpu)
  if (found) return found.memoryMb
  const known = gpus.map(({ uuid }, index) => `${index} (${uuid})`).join(', ') || 'none'
  throw new Error(`FARM_GPU must name a device of this machine: ${known}. Got ${gpu}`)
}
