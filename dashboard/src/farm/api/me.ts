import { signal } from '@preact/signals'
import { type OperatorRole, roleIncludes } from '../../../../core/operators/roles.ts'
import { kept, oneOf } from '../../ui/kept.ts'
import { read } from './operator-api.ts'
import type { Reply } from './reply.ts'

/** Operator who is signed in; undefined until the farm has said it. */
export const me = signal<Reply<'GET /api/operator/auth/me'> | undefined>(undefined)

/** An operator who only looks may switch all changes off, in every tab of this browser. */
export const readOnly = kept<'on' | 'off'>('operator read only', {
  ...{ first: 'off', read: oneOf(['on', 'off'] as const) },
})

export async function loadMe(): Promise<void> {
  me.value = await read('GET /api/operator/auth/me', {})
}

/** Answers whether the pages show what changes the farm. The farm itself asks again at each request. */
export function mayChange(role: OperatorRole): boolean {
  const own = me.value?.role
  return readOnly.now.value === 'off' && own !== undefined && roleIncludes(own, role)
}
