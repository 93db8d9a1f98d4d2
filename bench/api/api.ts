import { showTable } from '../statistics.ts'
import { startStage } from './stage.ts'
import { measureSubmissions } from './submissions.ts'

const accounts = 100

/** What customers meet at the gateway, with two processes of it: `npm run bench:api`. */
export async function benchApi(repeats: number): Promise<void> {
  const stage = await startStage()
  try {
    const customers = await stage.customers(accounts)
    show('Submissions', await measureSubmissions(stage, customers, repeats))
  } finally {
    await stage.stop()
  }
}

function show(title: string, rows: readonly (readonly string[])[]): void {
  process.stdout.write(`\n${title}: median (min .. max)\n${showTable(['', ''], rows)}\n`)
}
