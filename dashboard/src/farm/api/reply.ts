import type { Operations } from './operator-types.ts'

/** Answer of a route of operators. */
export type Reply<R extends keyof Operations> = Operations[R]['reply']
