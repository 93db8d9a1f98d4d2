import { FarmError } from '../../core/errors.ts'
import { judgeGrant } from '../gateway/grants.ts'
import { readJobId } from '../jobs/job-id.ts'
import type { PlayLinks } from './play-links.ts'

/** @throws FarmError forbidden */
export function checkGrant(
  { secret }: PlayLinks,
  { jobId, grant }: { jobId: string; grant: string },
): void {
  readJobId(jobId)
  const permission = judgeGrant({ kind: 'play', id: jobId }, { grant, now: new Date(), secret })
  if (permission === 'granted') return
  const why =
    permission === 'expired'
      ? 'The address has expired'
      : 'The address must be a job’s playlistUrl, unchanged. This one is not'
  throw new FarmError('forbidden', `${why}. Ask for the job to get a new one: GET /api/jobs/{id}`)
}
