import { status } from '@grpc/grpc-js'
import type {
  RenewCertificateRequest,
  RenewCertificateResponse,
} from '../../proto/gen/farm/v1/node.ts'
import type { SchedulerContext } from '../context.ts'
import { RpcError } from './unary.ts'

/** Replaces the certificate of a machine that enrolled; `unary` has admitted it by the one it has. */
export async function renewCertificate(
  { enrolment }: SchedulerContext,
  request: RenewCertificateRequest,
): Promise<RenewCertificateResponse> {
  if (enrolment !== undefined) return await enrolment.renew(request)
  throw new RpcError(status.UNAVAILABLE, 'This scheduler enrols no nodes. Ask another.')
}
