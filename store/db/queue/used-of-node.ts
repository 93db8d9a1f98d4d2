import { type RawBuilder, sql } from 'kysely'
import { laneKinds } from '../../../core/queue/tasks.ts'

/**
 * Resources of the node `n` that running tasks take, as a subquery of one row: `memory, gpu_memory,
 * sessions, lanes`.
 */
export function usedOfNode(): RawBuilder<unknown> {
  return sql`(
    select ${sumOfSizes()} from attempts a join task_shapes s on s.id = a.shape_id
    where a.node_id = n.id and a.state = 'running'
  )`
}

/** The same by `node_id`, with `slots`, for all nodes of the attempts `running`. */
export function usedOfNodes(running: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(
    select a.node_id, coalesce(sum(${slotsOf()}), 0) as slots, ${sumOfSizes()}
    from ${running} a join task_shapes s on s.id = a.shape_id group by a.node_id
  )`
}

/** Lanes of its node that a task of the shape `s` takes. */
export function lanesOf(): RawBuilder<unknown> {
  return sql`case when s.kind = any(${[...laneKinds]}::text[]) then least(${slotsOf()}, 1) else 0 end`
}

function slotsOf(): RawBuilder<unknown> {
  return sql`coalesce((s.requirements->>'slots')::float8, 1)`
}

function sumOfSizes(): RawBuilder<unknown> {
  return sql`coalesce(sum((s.requirements->>'memoryMb')::float8), 0) as memory,
    coalesce(sum((s.requirements->>'gpuMemoryMb')::float8), 0) as gpu_memory,
    coalesce(sum((s.requirements->>'encoderSessions')::float8), 0) as sessions,
    coalesce(sum(${lanesOf()}), 0) as lanes`
}

/** Resources of the node `n` beyond those that `used` takes; null where the node does not tell. */
export function leftOfNode(): RawBuilder<unknown> {
  return sql`nullif((n.offer->>'memoryMb')::float8, 0) - used.memory as memory,
    coalesce((n.offer->>'gpuMemoryMb')::float8, 0) - used.gpu_memory as gpu_memory,
    nullif((n.offer->>'encoderSessions')::float8, 0) - used.sessions as sessions,
    nullif((n.offer->>'lanes')::float8, 0) as lanes,
    nullif((n.offer->>'lanes')::float8, 0) - used.lanes as free_lanes`
}

/** Resources that the node `n` has left, as core/queue/assign.ts reads them. */
export function leftAsJson(): RawBuilder<unknown> {
  return sql`json_build_object('slots', n.slots, 'memory', n.memory, 'gpuMemory', n.gpu_memory,
    'sessions', n.sessions)`
}

/** Its lanes in the same way. */
export function lanesAsJson(): RawBuilder<unknown> {
  return sql`case when n.lanes is not null
    then json_build_object('count', n.lanes, 'free', n.free_lanes) end`
}
