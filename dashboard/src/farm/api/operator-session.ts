import { createTabSession } from '../../session/tab-session.ts'

/** The session of an operator: it knows nothing of a customer's in the same browser. */
export const operatorSession = createTabSession({
  auth: '/api/operator/auth',
  name: 'farm operator',
})
