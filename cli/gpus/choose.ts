import { type Gpu, listGpus } from '../../worker/agent/gpus.ts'
import { Failure, usage } from '../failure.ts'

/** Finds the GPUs that `--gpus` names: `all`, or indexes and UUIDs with commas. @throws Failure */
export async function chooseGpus(named: string): Promise<readonly Gpu[]> {
  const gpus = await listAll()
  if (named === 'all') return gpus
  const names = named.split(',').map((name) => name.trim())
  const chosen = gpus.filter((gpu) => names.some((name) => isCalled(gpu, name)))
  const unknown = names.find((name) => !gpus.some((gpu) => isCalled(gpu, name)))
  if (unknown === undefined) return chosen
  const known = gpus.map(({ index, uuid }) => `${index} (${uuid})`).join(', ')
  throw usage(`--gpus must be "all" or GPUs of this machine: ${known}. Got ${unknown}`)
}

function isCalled({ index, uuid }: Gpu, name: string): boolean {
  return name === uuid || name === String(index)
}

type Unanswered = Error & { readonly code?: string | number; readonly stdout?: string }

async function listAll(): Promise<readonly Gpu[]> {
  const gpus = await listGpus().catch((cause: Unanswered) => {
    // A failing driver prints its error in place of the list.
    const said = cause.code === 'ENOENT' ? 'no nvidia-smi' : cause.stdout?.trim() || cause.message
    const rule = "--gpus needs a working nvidia-smi on PATH; NVIDIA's driver installs it"
    throw new Failure(`${rule}. Got ${said}. Without --gpus one worker runs, on a GPU or none.`, {
      cause,
    })
  })
  if (gpus.length > 0) return gpus
  throw new Failure('--gpus needs a GPU. Got none: nvidia-smi lists no device')
}
