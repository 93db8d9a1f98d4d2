import { randomBytes, randomUUID, X509Certificate } from 'node:crypto'
import { status } from '@grpc/grpc-js'
import type { EnrolRequest, EnrolResponse } from '../../proto/gen/farm/v1/enrolment.ts'
import type {
  RenewCertificateRequest,
  RenewCertificateResponse,
} from '../../proto/gen/farm/v1/node.ts'
import { answerRequest, type Identity } from '../../runtime/authority.ts'
import { sha256 } from '../../runtime/sha256.ts'
import { type Db, inTransaction } from '../../store/db/database.ts'
import { addCertificate } from '../../store/db/fleet/add-certificate.ts'
import { type EnrolledAs, findEnrolment, isRevoked } from '../../store/db/fleet/enrolled-nodes.ts'
import { useInvitation } from '../../store/db/fleet/invitations.ts'
import { checkText, checkUuid } from '../rpc/checks.ts'
import { RpcError } from '../rpc/unary.ts'
import { type Pod, TokenRefused } from './pod-token.ts'

/** Validity of a certificate; its node renews it at half of that. */
const days = 1
const nameLength = 200
const invitationPrefix = 'join_'

type Joining = {
  readonly nodeId: string
  readonly name: string
  readonly as: EnrolledAs
  readonly pool: string
}

/** Gives certificates to nodes that show a token of a pod or of an invitation. */
export class Enrolment {
  readonly #db: Db
  readonly #authority: Identity
  readonly #podOf: ((token: string) => Promise<Pod>) | undefined

  /** `podOf` absent: pods are refused. */
  constructor({
    db,
    authority,
    podOf,
  }: { db: Db; authority: Identity; podOf: ((token: string) => Promise<Pod>) | undefined }) {
    this.#db = db
    this.#authority = authority
    this.#podOf = podOf
  }

  /** @throws RpcError with the sentence of a refusal */
  async enrol(request: EnrolRequest): Promise<EnrolResponse> {
    const name = checkText('name', request.name, nameLength)
    const pool = checkText('pool', request.pool, nameLength)
    const asked = { name, pool, token: request.token }
    if (!request.token.startsWith(invitationPrefix)) {
      const joining = await this.#joinPod(asked)
      return await this.#certify(this.#db, joining, request.certificateRequest)
    }
    // In one transaction: an invitation is not used up by a request that cannot be answered.
    return await inTransaction(this.#db, async (tx) => {
      const joining = await this.#joinMachine(tx, asked)
      return await this.#certify(tx, joining, request.certificateRequest)
    })
  }

  /** Renews the certificate of a machine, which has shown the one that it has. @throws RpcError */
  async renew(request: RenewCertificateRequest): Promise<RenewCertificateResponse> {
    const nodeId = checkUuid('node_id', request.nodeId)
    const known = await findEnrolment(this.#db, nodeId)
    if (known?.as !== 'machine') {
      throw new RpcError(
        status.FAILED_PRECONDITION,
        'The node must have enrolled by an invitation.',
      )
    }
    return await this.#certify(this.#db, { nodeId, ...known }, request.certificateRequest)
  }

  async #joinPod({ token, pool }: { token: string; pool: string }): Promise<Joining> {
    if (this.#podOf === undefined) {
      throw new RpcError(status.UNAUTHENTICATED, 'The token must be one of farm nodes invite.')
    }
    const pod = await this.#podOf(token).catch((error: unknown) => {
      if (!(error instanceof TokenRefused)) throw error
      throw new RpcError(status.UNAUTHENTICATED, error.message)
    })
    checkPool(pool, { is: pod.pool, of: `service account ${pod.account}` })
    if (await isRevoked(this.#db, pod.uid)) {
      throw new RpcError(status.PERMISSION_DENIED, 'The certificate of the pod was revoked.')
    }
    return { nodeId: pod.uid, name: pod.name, as: 'pod', pool: pod.pool }
  }

  async #joinMachine(
    tx: Db,
    { token, name, pool }: { token: string; name: string; pool: string },
  ): Promise<Joining> {
    const invitation = await useInvitation(tx, sha256(token))
    if (invitation === undefined) {
      throw new RpcError(status.UNAUTHENTICATED, 'The token must be one of farm nodes invite.')
    }
    if ('why' in invitation) {
      const message = `The invitation must be open. It is ${invitation.why}.`
      throw new RpcError(status.UNAUTHENTICATED, message)
    }
    checkPool(pool, { is: invitation.pool, of: 'invitation' })
    return { nodeId: randomUUID(), name: name || 'a node', as: 'machine', pool: invitation.pool }
  }

  async #certify(
    db: Db,
    { nodeId, name, as, pool }: Joining,
    request: Uint8Array,
  ): Promise<EnrolResponse> {
    const subject = { role: 'node', nodeId, name: name.slice(0, 64) } as const
    const certificate = await answerRequest(this.#authority, { request, subject, days }).catch(
      (error: unknown) => {
        throw new RpcError(
          status.INVALID_ARGUMENT,
          error instanceof Error ? error.message : String(error),
        )
      },
    )
    const { raw, validToDate: expiresAt } = new X509Certificate(certificate)
    const token = `node_${randomBytes(32).toString('hex')}`
    await addCertificate(db, {
      ...{ fingerprint: sha256(raw), nodeId, nodeName: name, tokenHash: sha256(token), expiresAt },
      enrolled: { as, pool },
    })
    return { nodeId, pool, certificate, token, expiresAt: Math.floor(expiresAt.getTime() / 1000) }
  }
}

/** @throws RpcError where the node is meant for another pool than its token is */
function checkPool(asked: string, { is, of }: { is: string; of: string }): void {
  if (asked === '' || asked === is) return
  const message = `The ${of} must be for the pool ${asked}. It is for ${is || 'nodes without a pool'}.`
  throw new RpcError(status.PERMISSION_DENIED, message)
}
