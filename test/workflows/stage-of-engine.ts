import type { RenderJobInput } from '../../workflows/contract.ts'
import { openStages } from './stages.ts'

/** A stage of a job, run in this process, whose engine test/farm/other-engine.ts has replaced. */
const { url, folder, stage, job }: Order = JSON.parse(process.env.FARM_TEST_STAGE ?? '')

export type Order = {
  readonly url: string
  readonly folder: string
  readonly stage: 'prepareInputs' | 'bakeCaptions' | 'render' | 'assemble'
  readonly job: RenderJobInput
}

const { stages, close } = await openStages({ url, folder })
process.stdout.write(JSON.stringify(await stages[stage](job)))
await close()
