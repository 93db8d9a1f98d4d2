import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server'
import { FarmApiError, type FarmClient } from '../../client/farm-client.ts'
import { toolsOf } from '../profiles.ts'
import type { Acting } from '../tool.ts'
import { errorText } from '../wording.ts'
import { taskOfBulk } from './bulk-task.ts'
import { taskOfJob } from './render-task.ts'
import type { TaskSource } from './serve-tasks.ts'
import type { DetailedTask } from './task.ts'

/**
 * Returns the renders and bulks of an account as tasks. Their state is the farm's: any replica
 * answers, and a restart loses none.
 */
export function farmTasks({ farm, connection, reconnect }: Acting): TaskSource {
  const found = async <T>(ask: () => Promise<T>) => await unlessUnknown(ask, reconnect)

  async function get(taskId: string, signal: AbortSignal): Promise<DetailedTask | undefined> {
    if (!idShape.test(taskId)) return undefined
    return await found(async () => await taskOf(farm, taskId, signal))
  }
  return {
    get,
    async cancel(taskId, signal) {
      const isAllowed = toolsOf[connection.profile].some(
        ({ name }) => name === (isBulk(taskId) ? 'cancel_bulk' : 'cancel_render'),
      )
      if (!isAllowed) {
        if ((await get(taskId, signal)) === undefined) return false
        throw notAllowed(connection.profile)
      }
      const act = async () =>
        isBulk(taskId)
          ? await farm.cancelBulk(taskId, { signal })
          : await farm.cancelJob(taskId, { signal })
      return idShape.test(taskId) && (await found(act)) !== undefined
    },
    // A render asks its client nothing.
    update: async (taskId, _given, signal) => (await get(taskId, signal)) !== undefined,
  }
}

/** Ids of jobs and bulks. */
const idShape = /^[\w-]{1,64}$/

function isBulk(taskId: string): boolean {
  return taskId.startsWith('blk_')
}

async function taskOf(
  farm: FarmClient,
  taskId: string,
  signal: AbortSignal,
): Promise<DetailedTask> {
  if (isBulk(taskId)) return await taskOfBulk(farm, taskId, signal)
  return taskOfJob(await farm.getJob(taskId, { signal }))
}

/** Returns undefined for an id that is malformed, unknown or another account's. */
async function unlessUnknown<T>(
  ask: () => Promise<T>,
  reconnect: string | undefined,
): Promise<T | undefined> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof FarmApiError)) throw error
    if (error.code === 'not_found' || error.code === 'invalid_request') return undefined
    throw new ProtocolError(ProtocolErrorCode.InternalError, errorText(error, { reconnect }))
  }
}

function notAllowed(profile: string): ProtocolError {
  const rule = 'The profile of the connection must allow to cancel'
  const next = 'Ask the person for a connection with a wider profile.'
  return new ProtocolError(
    ProtocolErrorCode.InvalidRequest,
    `forbidden: ${rule}. Got ${profile}. ${next}`,
  )
}
