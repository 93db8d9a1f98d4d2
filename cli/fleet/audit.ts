import { listActsOperation } from '../../operator/audit.ts'
import { answerRows, operateFarm } from '../accounts/operate.ts'

/** `farm audit [SUBJECT]`: a node may be named by its name. */
export async function showActs({
  json,
  ...asked
}: {
  readonly json?: boolean
  readonly limit: number
  readonly subject?: string
}): Promise<void> {
  await operateFarm({ json }, async (farm) => {
    const { acts } = await farm.run(listActsOperation, asked)
    return answerRows(acts.map(({ id: _, ...act }) => act))
  })
}
