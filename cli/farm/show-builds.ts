import { Connection } from '@temporalio/client'
import { readTemporal } from '../../runtime/temporal.ts'
import { listBuilds } from '../../workflows/builds.ts'
import { showTable } from '../accounts/table.ts'
import { Failure } from '../failure.ts'

/** Shows the builds of the workflows: which one gets new jobs, and which ones open jobs still need. */
export async function showBuilds({ json }: { readonly json: boolean }): Promise<void> {
  const { server, namespace } = readTemporal(process.env)
  const connection = await Connection.connect(server)
  try {
    const builds = await listBuilds(connection, namespace)
    if (builds === undefined) throw new Failure('This Temporal knows no builds of workers.')
    const rows = builds.map(({ id, status, createdAt, isServed }) => ({
      ...{ build: id, status, since: new Date(createdAt), served: isServed },
    }))
    console.log(json ? JSON.stringify(builds) : showTable(rows))
  } finally {
    await connection.close()
  }
}
