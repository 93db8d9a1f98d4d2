import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFarmClient, type FarmClient } from '../../client/farm-client.ts'
import { largestPlan } from '../../core/accounts/plans.ts'
import { defaultDataDir, isClaimed } from '../farm/data-folder.ts'
import { type LocalFarm, startLocalFarm } from '../farm/local-farm.ts'
import { checkRequest } from './check.ts'
import { type LocalMedia, pointTo } from './local-media.ts'
import { startMediaServer } from './media-server.ts'
import type { Progress } from './progress.ts'
import type { RequestFile } from './project-file.ts'

/** State of one run. `began` by `performance.now()`. */
type Run = {
  readonly request: RequestFile
  readonly media: readonly LocalMedia[]
  readonly options: { readonly workers: number; readonly data?: string }
  readonly progress: Progress
  readonly began: number
  readonly interrupted: Promise<never>
}

/** Work on a farm that is up: the request with addresses of the files, and how it may end early. */
type OnFarm = {
  readonly request: RequestFile
  readonly interrupted: Promise<never>
  readonly startSeconds: number
}

/**
 * Starts a farm that can read the request's files, uses it and stops it. Checks first, so that no
 * farm is started for a faulty project.
 */
export async function withOwnFarm(
  { media, options, progress, began, ...run }: Run,
  use: (farm: FarmClient, on: OnFarm) => Promise<void>,
): Promise<void> {
  const server = await startMediaServer()
  const request = pointTo(run.request, media, ({ file }) => server.offer(file))
  checkRequest(request, { plan: largestPlan, trustedHosts: [server.host] })
  progress.before('starting the farm', 0)
  const farm = await openOwnFarm({
    workers: options.workers,
    data: options.data,
    trustedHosts: [server.host],
    onShare: (share) => progress.before('starting the farm', share),
  })
  try {
    const address = await Promise.race([farm.ready, run.interrupted])
    const startSeconds = (performance.now() - began) / 1000
    const lost = farm.gaveUp.then((cause) => {
      throw cause
    })
    const interrupted = Promise.race([run.interrupted, lost])
    await use(createFarmClient(address), { request, interrupted, startSeconds })
  } finally {
    await farm.stop()
    server.close()
  }
}

type OwnFarmOptions = {
  /** Absent: a folder of the checkout. */
  readonly data: string | undefined
  readonly workers: number
  readonly trustedHosts: readonly string[]
  /** Share of the farm that is up, 0..1. */
  readonly onShare: (share: number) => void
}

/**
 * Opens a farm for one film. It keeps its store, so that the next run reuses all that did not
 * change. While another run holds the checkout's folder, it works in a temporary one.
 */
export async function openOwnFarm({
  data,
  onShare,
  ...options
}: OwnFarmOptions): Promise<LocalFarm> {
  const kept = data ?? join(defaultDataDir, 'render')
  const isBusy = data === undefined && (await isClaimed(kept))
  const dataDir = isBusy ? mkdtempSync(join(tmpdir(), 'farm-render-')) : kept
  const farm = startLocalFarm({
    ...options,
    dataDir,
    onEvent(event) {
      if (event.kind === 'ready') onShare(event.count / event.of)
      else process.stderr.write(`\n${event.sentence}\n`)
    },
  })
  return {
    ...farm,
    async stop() {
      await farm.stop()
      if (isBusy) rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
