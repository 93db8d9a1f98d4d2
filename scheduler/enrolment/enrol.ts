import { randomBytes, randomUUID, X509Certificate } from 'node:crypto'
import { status } from '@grpc/grpc-js'
import { invitationPrefix } from '../../core/fleet/node-identity.ts'
import type { EnrolRequest, EnrolResponse } from '../../proto/gen/farm/v1/enrolment.ts'
import type {
  RenewCertificateRequest,
  RenewCertificateResponse,
} from '../../proto/gen/farm/v1/node.ts'
import { answerRequest, type Identity, RequestRefused } from '../../runtime/authority.ts'
import { sha256 } from '../../runtime/sha256.ts'
import { type Db, inTransaction } from '../../store/db/database.ts'
import { addCertificate } from '../../store/db/fleet/add-certificate.ts'
import {
  countRecentCertificates,
  type EnrolledAs,
  findEnrolment,
  isRevoked,
} from '../../store/db/fleet/enrolled-nodes.ts'
import { useInvitation } from '../../store/db/fleet/invitations.ts'
import { shareCertificates } from '../../store/db/fleet/lock-certificates.ts'
import { checkText, checkUuid } from '../rpc/checks.ts'
import { RpcError } from '../rpc/unary.ts'
import { type Pod, TokenRefused } from './pod-token.ts'

/** Validity of a certificate; its node renews it at half of that. */
const days = 1
const poolLength = 200
/** Operators read these names and revoke by them, so that they hold nothing else (operator/certificates.ts). */
const machineName = /^[\w.-]{0,64}$/
/** A pod that restarts enrols again: with the kubelet's pauses some 20 times an hour. */
const mostAnHour = 60

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

  /**
   * `isGone`: the node no longer waits for the answer. It has another key when it asks again, so that
   * such a call must use no invitation up. @throws RpcError with the sentence of a refusal
   */
  async enrol(request: EnrolRequest, isGone = () => false): Promise<EnrolResponse> {
    stopIf(isGone)
    const { name, token } = request
    const pool = checkText('pool', request.pool, poolLength)
    const pod = token.startsWith(invitationPrefix) ? undefined : await this.#readPod(token)
    // In one transaction: an invitation is not used up by a request that cannot be answered.
    return await inTransaction(this.#db, async (tx) => {
      await shareCertificates(tx)
      const joining = pod
        ? await joinPod(tx, { pod, pool })
        : await joinMachine(tx, { token, name, pool })
      const certified = await this.#certify(tx, joining, request.certificateRequest)
      stopIf(isGone)
      return certified
    })
  }

  /** Renews the certificate of a machine, which has shown the one that it has. @throws RpcError */
  async renew(request: RenewCertificateRequest): Promise<RenewCertificateResponse> {
    const nodeId = checkUuid('node_id', request.nodeId)
    return await inTransaction(this.#db, async (tx) => {
      await shareCertificates(tx)
      const known = await findEnrolment(tx, nodeId)
      if (known?.as !== 'machine') {
        const rule = 'The node must have enrolled by an invitation.'
        throw new RpcError(status.FAILED_PRECONDITION, rule)
      }
      return await this.#certify(tx, { nodeId, ...known }, request.certificateRequest)
    })
  }

  /** @throws RpcError */
  async #readPod(token: string): Promise<Pod> {
    if (this.#podOf === undefined) {
      throw new RpcError(status.UNAUTHENTICATED, 'The token must be one of farm nodes invite.')
    }
    return await this.#podOf(token).catch((error: unknown) => {
      if (!(error instanceof TokenRefused)) throw error
      throw new RpcError(status.UNAUTHENTICATED, error.message)
    })
  }

  async #certify(
    db: Db,
    { nodeId, name, as, pool }: Joining,
    request: Uint8Array,
  ): Promise<EnrolResponse> {
    if ((await countRecentCertificates(db, nodeId)) >= mostAnHour) {
      const rule = `A node must take at most ${mostAnHour} certificates an hour.`
      throw new RpcError(status.RESOURCE_EXHAUSTED, rule)
    }
    const subject = { role: 'node', nodeId, name: name.slice(0, 64) } as const
    const certificate = await answerRequest(this.#authority, { request, subject, days }).catch(
      (error: unknown) => {
        if (!(error instanceof RequestRefused)) throw error
        throw new RpcError(status.INVALID_ARGUMENT, error.message)
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

/** @throws RpcError, which rolls a transaction back */
function stopIf(isGone: () => boolean): void {
  if (isGone()) throw new RpcError(status.CANCELLED, 'The node hung up before it was enrolled.')
}

/** @throws RpcError */
async function joinPod(
  tx: Db,
  { pod: { uid, name, account, pool }, pool: asked }: { pod: Pod; pool: string },
): Promise<Joining> {
  checkPool(asked, { is: pool, of: `service account ${account}` })
  if (await isRevoked(tx, uid)) {
    throw new RpcError(status.PERMISSION_DENIED, 'The certificate of the pod was revoked.')
  }
  return { nodeId: uid, name, as: 'pod', pool }
}

/** @throws RpcError */
async function joinMachine(
  tx: Db,
  { token, name, pool }: { token: string; name: string; pool: string },
): Promise<Joining> {
  if (!machineName.test(name)) {
    const rule = 'name must have at most 64 letters, digits, dots, dashes and underscores'
    throw new RpcError(status.INVALID_ARGUMENT, rule)
  }
  const invitation = await useInvitation(tx, sha256(token))
  if (invitation === undefined) {
    throw new RpcError(status.UNAUTHENTICATED, 'The token must be one of farm nodes invite.')
  }
  if ('why' in invitation) {
    const message = `The invitation must be open. It is ${invitation.why}.`
    throw new RpcError(status.UNAUTHENTICATED, message)
  }
  checkPool(pool, { is: invitation.pool, of: 'invitation' })
  return { nodeId: randomUUID(), name: name || 'machine', as: 'machine', pool: invitation.pool }
}

/** @throws RpcError where the node is meant for another pool than its token is */
function checkPool(asked: string, { is, of }: { is: string; of: string }): void {
  if (asked === '' || asked === is) return
  const message = `The ${of} must be for the pool ${asked}. It is for ${is || 'nodes without a pool'}.`
  throw new RpcError(status.PERMISSION_DENIED, message)
}
