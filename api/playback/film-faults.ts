import { FarmError } from '../../core/errors.ts'
import type { FilmJob } from '../../store/db/playback/find-film.ts'

const retryAfterSeconds = 1

/** The player asks again after the time that the answer names. */
export class NotYet extends FarmError {
  readonly retryAfterSeconds = retryAfterSeconds
}

export function notYet(): NotYet {
  return new NotYet('unavailable', 'This part of the film is not rendered yet. Ask again')
}

export function missing(message: string): FarmError {
  return new FarmError('not_found', `${message}.`)
}

/** @throws FarmError for a job without a film, now and later */
export function assertPlayable(job: FilmJob | undefined): FilmJob {
  if (!job) throw missing('The film’s job must exist. It does not')
  const { state, error, filesRemovedAt } = job
  if (state === 'failed' || state === 'cancelled') {
    const why = error ? `: ${error.message}` : ''
    throw new FarmError('conflict', `The film cannot be played, because its job is ${state}${why}`)
  }
  if (filesRemovedAt) throw missing('The film’s files were removed. Render it again')
  return job
}
