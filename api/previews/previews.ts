import { randomUUID } from 'node:crypto'
import { engineVersion } from '../../core/engine.ts'
import { FarmError } from '../../core/errors.ts'
import { isFinal, type JobPreview } from '../../core/jobs/jobs.ts'
import { previewLimits } from '../../core/project/schema/preview.ts'
import { sha256 } from '../../runtime/sha256.ts'
import type { Db } from '../../store/db/database.ts'
import { findPreview, getPreview, type Preview } from '../../store/db/previews/find-preview.ts'
import { insertPreview } from '../../store/db/previews/insert-preview.ts'
import type { ObjectStore } from '../../store/objects/object-store.ts'
import type { Caller } from '../gateway/caller.ts'
import { ProblemError } from '../gateway/problem.ts'
import type { JobReader } from '../jobs/job-reader.ts'
import type { WorkflowStarts } from '../jobs/workflow-starts.ts'
import type { AskedPreview } from './preview-request.ts'

/** A preview that has ended, or is still being painted when the wait is over. `isStored`: it was there. */
export type FoundPreview = { readonly preview: Preview; readonly isStored: boolean }

/** Distance of looks at a preview whose end is not announced. */
const lookAgainMs = 1_000
/** Delay that a refused caller is told, while its account paints as many as it may. */
const busySeconds = 2

type Options = {
  /** Sees previews, which are hidden from customers' own statements. */
  readonly db: Db
  readonly jobReader: Pick<JobReader, 'waitForEnd'>
  readonly workflowStarts: Pick<WorkflowStarts, 'add'>
  readonly objects: Pick<ObjectStore, 'read' | 'stat'>
  readonly waitMs: number
  readonly hasRateLimits: boolean
}

/** Its key follows from its description, so that each who asks for the same can read its words. */
type Described = JobPreview & { readonly wordsKey: string }

type Asked = {
  readonly asked: AskedPreview
  readonly account: Pick<Caller, 'accountId' | 'limits'>
  /** Aborted when the caller is gone. */
  readonly signal: AbortSignal
}

/**
 * Paints previews by hidden jobs, one for each description: callers who ask for the same wait for
 * the same job, and later ones get its sheet from the store.
 */
export class Previews {
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  /** @throws FarmError when the account asks for more than it may */
  async paint(asking: Asked): Promise<FoundPreview> {
    const { accountId } = asking.account
    const known = await this.#find(asking)
    const preview = known ?? (await this.#begin(asking))
    if (isFinal(preview.state)) return { preview, isStored: known !== undefined }
    const { wordsKey } = previewOf(asking.asked)
    const named = { accountId, jobId: preview.jobId, wordsKey }
    const ended = await this.#waitForEnd(named, asking.signal)
    return { preview: ended ?? preview, isStored: false }
  }

  /** Reads a painted sheet, which is small. @throws FarmError for an object of another size */
  async read(key: string): Promise<Buffer> {
    const facts = await this.#options.objects.stat(key)
    if (!facts || facts.bytes > previewLimits.mostBytes) {
      throw new FarmError('store_unavailable', 'The preview cannot be read; ask for it again')
    }
    return await this.#options.objects.read(key)
  }

  async #find({ asked, account: { accountId } }: Asked): Promise<Preview | undefined> {
    const { refresh = false, ...description } = previewOf(asked)
    return await findPreview(this.#options.db, { ...description, accountId, isRefreshed: refresh })
  }

  async #begin(asking: Asked): Promise<Preview> {
    const { asked, account } = asking
    const { db, hasRateLimits, workflowStarts } = this.#options
    const { accountId, limits } = account
    const { request, templateId, resolution } = asked
    const jobId = randomUUID()
    const { type, name } = resolution.project
    const preview = previewOf(asked)
    const { wordsKey } = preview
    const made = await insertPreview(
      db,
      {
        ...{ id: jobId, accountId, type, name, request, templateId },
        ...{ preview, warnings: resolution.warnings },
      },
      {
        atOnce: limits.previewsAtOnce,
        ...(hasRateLimits && {
          perMinute: limits.previewsPerMinute,
          perDay: limits.previewsPerDay,
        }),
      },
    )
    switch (made.outcome) {
      case 'inserted':
        workflowStarts.add({ accountId, jobId })
        return (await getPreview(db, { accountId, jobId, wordsKey })) ?? lost()
      case 'joined':
        return (await getPreview(db, { accountId, jobId: made.jobId, wordsKey })) ?? lost()
      case 'busy': {
        const rule = `An account may have ${made.atOnce} previews painted at once.`
        throw new ProblemError('too_many_requests', `${rule} Got one more; ask again in a moment`, {
          retryAfterSeconds: busySeconds,
        })
      }
      case 'over-rate': {
        const { limit, per, secondsLeft } = made
        const rule = `An account may have ${limit} previews painted a ${per}.`
        const until = per === 'day' ? 'after midnight UTC' : 'in a minute'
        throw new ProblemError('too_many_requests', `${rule} Got one more; ask again ${until}`, {
          retryAfterSeconds: Math.max(1, Math.ceil(secondsLeft)),
        })
      }
      default:
        return made satisfies never
    }
  }

  /** Undefined: it has not ended in time. */
  async #waitForEnd(
    named: { readonly accountId: string; readonly jobId: string; readonly wordsKey: string },
    signal: AbortSignal,
  ): Promise<Preview | undefined> {
    const { db, jobReader, waitMs } = this.#options
    const deadline = performance.now() + waitMs
    for (;;) {
      const preview = await getPreview(db, named)
      if (preview && isFinal(preview.state)) return preview
      const left = deadline - performance.now()
      if (left <= 0 || signal.aborted) return undefined
      const isOver = await jobReader.waitForEnd(named.jobId, Math.min(left, lookAgainMs))
      if (isOver) return undefined
    }
  }
}

function previewOf({ resolution, options }: AskedPreview): Described {
  const { times, width, maxBytes = previewLimits.mostBytes, refresh = false } = options
  const { share } = previewLimits
  const looks = JSON.stringify([
    ...[engineVersion, resolution.project, times ?? null, width ?? null, share, maxBytes],
  ])
  return {
    fingerprint: sha256(looks),
    wordsKey: sha256(`words of ${looks}`),
    maxBytes,
    ...(times && { times }),
    ...(width !== undefined && { width }),
    ...(refresh && { refresh }),
  }
}

function lost(): never {
  throw new FarmError('unavailable', 'The preview was removed meanwhile; ask for it again')
}
