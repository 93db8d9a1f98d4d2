import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { noTracing } from '../../runtime/tracing/tracing.ts'
import { openDatabase } from '../../store/db/database.ts'
import { openObjectStore } from '../../store/objects/open.ts'
import { createWorkflowsMetrics } from '../../workflows/metrics.ts'
import { createActivities } from '../../workflows/stages/activities.ts'
import type { ActivityBase } from '../../workflows/stages/context.ts'
import type { Next, StartedTasks } from '../../workflows/stages/next.ts'
import { silent, startDatabase } from '../store/database.ts'

/** The tasks that a stage has queued or found queued. */
export function tasksOf(next: Next): StartedTasks['tasks'] {
  return next.wait === 'nothing' ? [] : next.tasks
}

/**
 * The stages of a job over a real Postgres and a directory of objects, without Temporal, for one
 * test file.
 */
export async function startStages() {
  const { db, url, stop } = await startDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'farm-test-'))
  const { close, ...opened } = await openStages({ url, folder })
  return {
    ...{ db, url, folder, ...opened },
    async stop() {
      await close()
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** The stages over a database that runs already, and a folder of objects. */
export async function openStages({ url, folder }: { url: string; folder: string }) {
  const stagesDb = openDatabase({ url, log: silent, prepared: true })
  const objects = openObjectStore(pathToFileURL(folder), {
    publicUrl: 'http://127.0.0.1:1',
    secret: 'a secret for the test',
  })
  await objects.prepare()
  const context: ActivityBase = {
    ...{ db: stagesDb, objects, log: silent, tracing: noTracing, trustedHosts: [] },
    metrics: createWorkflowsMetrics(),
    startGroup: async () => undefined,
  }
  return {
    ...{ objects, context },
    stages: createActivities(context),
    close: () => stagesDb.destroy(),
  }
}
