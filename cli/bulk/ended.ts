import type { FarmClient } from '../../client/farm-client.ts'
import { plainFileName } from '../../store/objects/output-links.ts'
import { Failure, usage } from '../failure.ts'
import { download } from '../render/download.ts'
import { prepareOutput } from '../render/output-path.ts'
import { firstRetries, remoteFarm } from '../render/remote-farm.ts'

type Retry = { readonly bulk: string; readonly cancelled?: boolean; readonly json?: boolean }

/** `farm bulk retry`. @throws Failure */
export async function retryBulk({ bulk, cancelled = false, json = false }: Retry): Promise<void> {
  const states = cancelled ? (['failed', 'cancelled'] as const) : (['failed'] as const)
  const made = await namedFarm().retryBulk(bulk, { states: [...states], retries: firstRetries })
  if (json) return void process.stdout.write(`${JSON.stringify(made)}\n`)
  const jobs = made.jobIds.length === 1 ? '1 job' : `${made.jobIds.length} jobs`
  process.stdout.write(`${made.bulkId}: ${jobs}, ${made.creditsReserved} credits held\n`)
}

/** `farm bulk download`. @throws Failure */
export async function downloadBulk({
  bulk,
  output,
}: {
  readonly bulk: string
  readonly output?: string
}): Promise<void> {
  const { name, counts, zipUrl } = await namedFarm().getBulk(bulk, {
    ...{ pageSize: 1, retries: firstRetries },
  })
  if (!zipUrl) throw new Failure(`${bulk} must have a finished file to be downloaded. It has none`)
  const file = prepareOutput(output ?? `${plainFileName(name)}.zip`)
  await download(zipUrl, file)
  const files = counts.completed === 1 ? '1 file' : `${counts.completed} files`
  process.stdout.write(`${file}\n  ${files}\n`)
}

function namedFarm(): FarmClient {
  const farm = remoteFarm([])
  if (farm) return farm
  throw usage('FARM_URL and FARM_API_KEY must name the farm of the bulk. Got no FARM_URL')
}
