import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { OperatorRole } from '../core/operators/roles.ts'
import { text } from '../core/project/schema/fields.ts'
import type { Prometheus } from '../runtime/prometheus.ts'
import type { SealKeys } from '../runtime/seal.ts'
import type { Db } from '../store/db/database.ts'
import type { LinkSigner, ObjectStore } from '../store/objects/object-store.ts'

/** All that an operation works on: the database past the walls between accounts, and the files. */
export type FarmAccess = {
  readonly db: Db
  /** Opened by the few operations that read files: the command line needs no settings for the others. */
  readonly objects: () => LinkSigner & Pick<ObjectStore, 'read'>
  /** Seal the addresses of receivers. */
  readonly sealKeys: () => SealKeys
  /** `host:port` that are exempt from the rule for addresses. */
  readonly trustedHosts: () => readonly string[]
  /** Hashes a password for storage: argon2id, as a PHC string. */
  readonly hashPassword: (password: string) => Promise<string>
  /** Answers the queries of charts; undefined: the farm has none. */
  readonly prometheus: () => Prometheus | undefined
  /** Aborts when the caller hangs up: long reads end with it. */
  readonly signal?: AbortSignal
  /** Longest time of a search of requests; absent: eight seconds. */
  readonly searchMs?: number | undefined
}

/**
 * A read or a change of the farm by an operator. The api serves it as a route, and the command line runs
 * it on the database or calls that route: both say and do the same.
 */
export type Operation<Input, Output> = {
  /** `operationId`; never changes. */
  readonly id: string
  /** `POST`: each call leaves an act on record. */
  readonly method: 'GET' | 'POST'
  /** Below `/api/operator`; parameters as `:name`. */
  readonly path: string
  readonly role: OperatorRole
  readonly summary: string
  readonly params: TObject
  readonly query: TObject
  /** Absent: a read. */
  readonly body?: TObject
  readonly answer: TSchema
  /** @throws FarmError */
  readonly run: (farm: FarmAccess, input: Input, actor: string) => Promise<Output>
}

/** An operation among others. */
export type AnyOperation = Operation<never, unknown>

type None = TObject<Record<never, never>>
const none: None = Type.Object({})

type Common<Input, Output, P> = Pick<
  Operation<Input, Output>,
  'id' | 'path' | 'role' | 'summary' | 'answer' | 'run'
> & { readonly params?: P }

export function read<Output, P extends TObject = None, Q extends TObject = None>({
  params,
  query,
  ...rest
}: Common<Static<P> & Static<Q>, Output, P> & { readonly query?: Q }): Operation<
  Static<P> & Static<Q>,
  Output
> {
  return { method: 'GET', params: params ?? none, query: query ?? none, ...rest }
}

/** Reason of a change, for the audit log. */
const why = text(500, 3)
type Why = { readonly why: string }

export function change<Output, P extends TObject = None, B extends TObject = None>({
  params,
  body,
  ...rest
}: Common<Static<P> & Static<B> & Why, Output, P> & { readonly body?: B }): Operation<
  Static<P> & Static<B> & Why,
  Output
> {
  const fields = { ...body?.properties, why }
  return {
    method: 'POST',
    params: params ?? none,
    query: none,
    body: Type.Object(fields, { additionalProperties: false, title: 'this change' }),
    ...rest,
  }
}
