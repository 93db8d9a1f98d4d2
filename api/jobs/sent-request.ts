import { isRecord } from '../../core/project/check.ts'
import type { RenderRequest } from '../../core/project/schema/request.ts'
import type { Db } from '../../store/db/database.ts'
import { getSubmission } from '../../store/db/jobs/get-submissions.ts'

/**
 * Finds the request of an account's job, with the payload of its template as it was at submission; of a
 * job of a bulk, the whole one. It can be sent again: the job's own id is left out.
 */
export async function readRequestOf(
  db: Db,
  job: { accountId: string; jobId: string },
): Promise<RenderRequest | undefined> {
  const submission = await getSubmission(db, job)
  if (!isRecord(submission?.request)) return undefined
  const { jobId: _, ...request } = submission.request as RenderRequest
  return request
}

/** The request as it was sent: it names its template instead of the payload. */
export function asSent(request: RenderRequest, templateId: string | null): RenderRequest {
  if (templateId === null) return request
  const { payload: _, ...rest } = request
  return { template: templateId, ...rest }
}
