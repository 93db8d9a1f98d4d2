import type { FastifyRequest } from 'fastify'
import { FarmError } from '../../core/errors.ts'
import { roleIncludes } from '../../core/operators/roles.ts'
import type { Db } from '../../store/db/database.ts'
import { findOperatorSession } from '../../store/db/operators/find-operator-session.ts'
import type { DashboardTokens } from '../account/dashboard-token.ts'
import type { OperatorCaller } from '../gateway/caller.ts'
import { ProblemError } from '../gateway/problem.ts'

/** Longest time since the password was given, for acts of an admin. */
const confirmedForSeconds = 600

/** Finds the operator of a token; undefined: it is none, or its session is over. */
export async function findOperatorCaller(
  { db, operatorTokens }: { readonly db: Db; readonly operatorTokens: DashboardTokens },
  token: string,
): Promise<OperatorCaller | undefined> {
  const sessionId = await operatorTokens.read(token)
  const found = sessionId && (await findOperatorSession(db, sessionId))
  return found ? { ...found, sessionId } : undefined
}

/** @throws FarmError where the role, or the time since the password was given, forbids the route */
export function expectRole(
  { role, confirmedSeconds }: OperatorCaller,
  { routeOptions: { config }, method }: FastifyRequest,
): void {
  const needed = config.role ?? 'admin'
  if (!roleIncludes(role, needed)) {
    throw new FarmError('forbidden', `The operator’s role must be ${needed}. Got ${role}`)
  }
  if (needed !== 'admin' || method !== 'POST' || confirmedSeconds <= confirmedForSeconds) return
  const rule = 'An admin must have given the password within 10 minutes before this'
  const message = `${rule}. Got ${Math.floor(confirmedSeconds)} s; confirm it`
  throw new ProblemError('forbidden', message, {
    details: [{ field: 'password', pointer: '', code: 'forbidden', message }],
  })
}

export function noOperator(): FarmError {
  const rule = 'A valid token of an operator as Authorization: Bearer must be given'
  return new FarmError('unauthorized', `${rule}. Got none, or one that is not valid`)
}

/** Explains that the credential of a customer is none of an operator. */
export function customersCredential(): FarmError {
  const rule = 'This route takes the token of an operator as Authorization: Bearer'
  return new FarmError('forbidden', `${rule}. Got a customer’s credential`)
}
