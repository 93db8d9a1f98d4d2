import { setTimeout as sleep } from 'node:timers/promises'
import { type Migration, Migrator, sql } from 'kysely'
import pg from 'pg'
import type { Db } from './database.ts'
import { up as tellEnds } from './migrations/0021_job_ends.ts'
import { up as keepOutputs } from './migrations/0022_output_artifacts.ts'
import { up as shareWorkflows } from './migrations/0023_workflow_groups.ts'
import { up as findOpenOfGroup } from './migrations/0024_open_jobs_of_group.ts'
import { up as delayTasks } from './migrations/0025_tasks_not_before.ts'
import { up as findDeliveriesOfJob } from './migrations/0026_deliveries_of_job.ts'
import { up as keepProjects } from './migrations/0027_projects.ts'
import { up as nameWebhooks } from './migrations/0028_webhook_ids.ts'
import { up as keepGoneNodes } from './migrations/0029_gone_nodes.ts'
import { up as topUpHolds } from './migrations/0031_top_ups.ts'
import { up as suspendAccounts } from './migrations/0032_suspended_accounts.ts'
import { up as addAgents } from './migrations/0033_agents.ts'
import { up as addQuotes } from './migrations/0034_drafts_and_quotes.ts'
import { up as addPreviews } from './migrations/0035_previews.ts'
import { up as tellAgentEnds } from './migrations/0037_agent_ends.ts'
import { up as addPlayback } from './migrations/0038_playback.ts'
import { up as endKeysAndSeal } from './migrations/0039_key_ends_and_sealed_drafts.ts'
import { up as tellWritten } from './migrations/0040_written.ts'
import { up as extendSessions } from './migrations/0041_sessions.ts'
import { up as indexEndedJobs } from './migrations/0042_ended_jobs_of_account.ts'
import { up as indexDeliveries } from './migrations/0043_deliveries_of_account.ts'
import { up as endWants } from './migrations/0044_wanted_until.ts'
import { up as sealDraftNames } from './migrations/0045_sealed_draft_names.ts'
import { up as addOperators } from './migrations/0048_operators.ts'
import { up as listAllJobs } from './migrations/0049_jobs_of_all_accounts.ts'
import { up as addUploads } from './migrations/0051_uploads.ts'
import { up as holdJobs } from './migrations/0052_held_jobs.ts'
import { up as closeAccounts } from './migrations/0053_closed_accounts_and_node_usage.ts'
import { up as planMaintenance } from './migrations/0054_maintenance_windows.ts'
import { up as rememberRedeliveries } from './migrations/0055_redelivered_as.ts'
import { up as keepAlerts } from './migrations/0056_alerts.ts'
import { up as addBudgets } from './migrations/0057_budgets.ts'
import { up as addAccessLog } from './migrations/0058_access_log.ts'
import { up as keepLiveLogs } from './migrations/0060_live_logs.ts'
import { up as keepFigures } from './migrations/0061_figure_samples.ts'
import { up as noteScaledPools } from './migrations/0063_scaled_pools.ts'
import { up as tellOfStarts } from './migrations/0064_waiting_for_machines.ts'
import { up as enrolNodes } from './migrations/0065_enrolment.ts'
import { up as requireEngines } from './migrations/0066_engines.ts'
import { up as countAfterRetry } from './migrations/0070_retried_after.ts'
import { up as createFarm } from './migrations/first/0001_farm.ts'
import { up as addJobWarnings } from './migrations/first/0002_job_warnings.ts'
import { up as addAccounts } from './migrations/first/0003_accounts.ts'
import { up as addWebhooks } from './migrations/first/0004_webhooks.ts'
import { up as addTemplates } from './migrations/first/0005_templates.ts'
import { up as createBulks } from './migrations/first/0006_bulks.ts'
import { up as createFleet } from './migrations/first/0007_fleet.ts'
import { up as addOperatorActs } from './migrations/first/0008_operator_acts.ts'
import { up as addRateWindows } from './migrations/first/0010_rate_windows.ts'
import { up as addNodeCertificates } from './migrations/first/0011_node_certificates.ts'
import { up as addOpenJobs } from './migrations/first/0012_open_jobs.ts'
import { up as addFetchedMedia } from './migrations/first/0013_fetched_media.ts'
import { up as addSegmentClaims } from './migrations/first/0014_segment_claims.ts'
import { up as addFramesPainted } from './migrations/first/0015_frames_painted.ts'
import { up as boundQueuePositions } from './migrations/first/0016_queue_positions.ts'
import { up as tellOfLimits } from './migrations/first/0017_waiting_limits.ts'
import { up as noteAwaitedSegments } from './migrations/first/0018_awaited_segments.ts'
import { up as indexActs } from './migrations/first/0019_acts_by_subject.ts'
import { up as keepSounds } from './migrations/first/0020_sound_artifacts.ts'
import { listRanMigrations } from './schema-state.ts'

/** Every migration, oldest first by name. One that has run anywhere is never changed again. */
const migrations = {
  '0001_farm': { up: createFarm },
  '0002_job_warnings': { up: addJobWarnings },
  '0003_accounts': { up: addAccounts },
  '0004_webhooks': { up: addWebhooks },
  '0005_templates': { up: addTemplates },
  '0006_bulks': { up: createBulks },
  '0007_fleet': { up: createFleet },
  '0008_operator_acts': { up: addOperatorActs },
  '0010_rate_windows': { up: addRateWindows },
  '0011_node_certificates': { up: addNodeCertificates },
  '0012_open_jobs': { up: addOpenJobs },
  '0013_fetched_media': { up: addFetchedMedia },
  '0014_segment_claims': { up: addSegmentClaims },
  '0015_frames_painted': { up: addFramesPainted },
  '0016_queue_positions': { up: boundQueuePositions },
  '0017_waiting_limits': { up: tellOfLimits },
  '0018_awaited_segments': { up: noteAwaitedSegments },
  '0019_acts_by_subject': { up: indexActs },
  '0020_sound_artifacts': { up: keepSounds },
  '0021_job_ends': { up: tellEnds },
  '0022_output_artifacts': { up: keepOutputs },
  '0023_workflow_groups': { up: shareWorkflows },
  '0024_open_jobs_of_group': { up: findOpenOfGroup },
  '0025_tasks_not_before': { up: delayTasks },
  '0026_deliveries_of_job': { up: findDeliveriesOfJob },
  '0027_projects': { up: keepProjects },
  '0028_webhook_ids': { up: nameWebhooks },
  '0029_gone_nodes': { up: keepGoneNodes },
  '0031_top_ups': { up: topUpHolds },
  '0032_suspended_accounts': { up: suspendAccounts },
  '0033_agents': { up: addAgents },
  '0034_drafts_and_quotes': { up: addQuotes },
  '0035_previews': { up: addPreviews },
  '0037_agent_ends': { up: tellAgentEnds },
  '0038_playback': { up: addPlayback },
  '0039_key_ends_and_sealed_drafts': { up: endKeysAndSeal },
  '0040_written': { up: tellWritten },
  '0041_sessions': { up: extendSessions },
  '0042_ended_jobs_of_account': { up: indexEndedJobs },
  '0043_deliveries_of_account': { up: indexDeliveries },
  '0044_wanted_until': { up: endWants },
  '0045_sealed_draft_names': { up: sealDraftNames },
  '0048_operators': { up: addOperators },
  '0049_jobs_of_all_accounts': { up: listAllJobs },
  '0051_uploads': { up: addUploads },
  '0052_held_jobs': { up: holdJobs },
  '0053_closed_accounts_and_node_usage': { up: closeAccounts },
  '0054_maintenance_windows': { up: planMaintenance },
  '0055_redelivered_as': { up: rememberRedeliveries },
  '0056_alerts': { up: keepAlerts },
  '0057_budgets': { up: addBudgets },
  '0058_access_log': { up: addAccessLog },
  '0060_live_logs': { up: keepLiveLogs },
  '0061_figure_samples': { up: keepFigures },
  '0063_scaled_pools': { up: noteScaledPools },
  '0064_waiting_for_machines': { up: tellOfStarts },
  '0065_enrolment': { up: enrolNodes },
  '0066_engines': { up: requireEngines },
  '0070_retried_after': { up: countAfterRetry },
}

export type Migrations = Readonly<Record<string, Migration>>

/** Names of this release's migrations, oldest first. */
export const knownMigrations: readonly string[] = Object.keys(migrations)

export const allMigrations: Migrations = migrations

/** Lists the migrations that the database still lacks, oldest first. */
export async function pendingMigrations(
  db: Db,
  known: Migrations = migrations,
): Promise<readonly string[]> {
  const ran = new Set(await listRanMigrations(db))
  return Object.keys(known).filter((name) => !ran.has(name))
}

/**
 * Migrates the database to the newest schema and answers the names of what it ran. Several processes may call
 * it at once: the migrator holds an advisory lock. Migrations of a newer release stay as they are.
 *
 * A statement that waits for a lock holds up all who come after it. So it gives up after `lockTimeoutMs`,
 * everything is undone, and the whole begins again, `tries` times in all. So it does after a deadlock.
 *
 * Errors: Error when a table stayed locked.
 */
export async function migrate(
  db: Db,
  {
    lockTimeoutMs = 5_000,
    pauseMs = 2_000,
    tries = 10,
    known = migrations,
  }: {
    readonly lockTimeoutMs?: number
    readonly pauseMs?: number
    readonly tries?: number
    readonly known?: Migrations
  } = {},
): Promise<readonly string[]> {
  const ran = await listRanMigrations(db)
  const newer = ran.filter((name) => !Object.hasOwn(known, name))
  const provided = {
    ...Object.fromEntries(newer.map((name) => [name, { up: async () => undefined }])),
    ...Object.fromEntries(
      Object.entries(known).map(([name, { up }]) => [name, { up: patient(up, lockTimeoutMs) }]),
    ),
  }
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => provided },
    // Numbers are given when work begins: a database may have run a later one first.
    allowUnorderedMigrations: true,
  })
  for (let tried = 1; ; tried += 1) {
    const { error, results } = await migrator.migrateToLatest()
    if (error === undefined) return (results ?? []).map((result) => result.migrationName)
    if (!isLockError(error)) throw error
    if (tried >= tries) throw new Error(lockedSentence(lockTimeoutMs, tries), { cause: error })
    await sleep(pauseMs)
  }
}

/** Lets a migration wait a short time for a lock, and as long as it takes for the work itself. */
function patient(up: Migration['up'], lockTimeoutMs: number): Migration['up'] {
  return async (db) => {
    await sql`select set_config('lock_timeout', ${`${lockTimeoutMs}`}, true),
      set_config('statement_timeout', '0', true)`.execute(db)
    await up(db)
  }
}

/** SQLSTATE lock_not_available, and deadlock_detected: others took their locks in another order. */
const lockErrors = ['55P03', '40P01']

function isLockError(error: unknown): boolean {
  return error instanceof pg.DatabaseError && lockErrors.includes(error.code ?? '')
}

function lockedSentence(lockTimeoutMs: number, tries: number): string {
  const waited = `${tries} times ${lockTimeoutMs / 1000} s`
  return `A migration must lock a table, which other transactions held for ${waited}. Nothing was changed. See pg_stat_activity for a long transaction, end it, and migrate again.`
}
