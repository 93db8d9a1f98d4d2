import { showTable } from '../statistics.ts'
import { measureBulks } from './bulks.ts'
import { measureDeliveries } from './deliveries.ts'
import { measureKeyCheck } from './key-check.ts'
import { measureListeners } from './listeners.ts'
import { startStage } from './stage.ts'
import { measureSubmissions } from './submissions.ts'

const accounts = 100

/** Measures the gateway as customers see it, with two processes of it: `npm run bench:api`. */
export async function benchApi(repeats: number): Promise<void> {
  const stage = await startStage()
  try {
    const customers = await stage.customers(accounts)
    show('Submissions', await measureSubmissions(stage, customers, repeats))
    show('Key check', await measureKeyCheck(stage, customers, repeats))
    show('Bulk', await measureBulks(stage, customers, repeats))
    show('Live progress', await measureListeners(stage, customers, repeats))
  } finally {
    await stage.stop()
  }
  show('Webhooks', await measureDeliveries(repeats))
}

function show(title: string, rows: readonly (readonly string[])[]): void {
  process.stdout.write(`\n${showTable([title, 'median (min .. max)'], rows)}\n`)
}
