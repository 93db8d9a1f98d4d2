import { openAsBlob } from 'node:fs'
import { basename } from 'node:path'
import { FarmApiError, type FarmClient } from '../../client/farm-client.ts'
import { Failure, usage } from '../failure.ts'
import { remoteFarm } from '../render/remote-farm.ts'

/** `farm upload`: prints the address of each file, in their order. @throws Failure */
export async function uploadFiles(
  files: readonly string[],
  { json = false }: { readonly json?: boolean },
): Promise<void> {
  const farm = remoteFarm([])
  if (!farm) throw usage('FARM_URL must name the farm that takes the files. Got nothing')
  for (const file of files) {
    const upload = await uploadOne(farm, file)
    process.stdout.write(`${json ? JSON.stringify(upload) : upload.url}\n`)
  }
}

async function uploadOne(farm: FarmClient, file: string) {
  const blob = await open(file)
  try {
    return await farm.uploads.create(blob, { name: basename(file).slice(0, 200) })
  } catch (error) {
    if (error instanceof FarmApiError) throw new Failure(`${file}: ${error.message}`)
    throw error
  }
}

/** It is read while it is sent. */
async function open(file: string): Promise<Blob> {
  try {
    return await openAsBlob(file)
  } catch {
    // The error says neither which file nor why.
    throw new Failure(`${file} must be a file that can be read. It is not`)
  }
}
