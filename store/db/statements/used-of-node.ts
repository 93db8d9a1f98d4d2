import { type RawBuilder, sql } from 'kysely'

/**
 * Resources of the node `n` that running tasks take, as a subquery of one row: `memory, gpu_memory,
 * sessions`.
 */
export function usedOfNode(): RawBuilder<unknown> {
  return sql`(
    select coalesce(sum((s.requirements->>'memoryMb')::float8), 0) as memory,
      coalesce(sum((s.requirements->>'gpuMemoryMb')::float8), 0) as gpu_memory,
      coalesce(sum((s.requirements->>'encoderSessions')::float8), 0) as sessions
    from attempts a join task_shapes s on s.id = a.shape_id
    where a.node_id = n.id and a.state = 'running'
  )`
}
