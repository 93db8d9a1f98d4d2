import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defaultDataDir, isClaimed } from '../farm/data-folder.ts'
import { type LocalFarm, startLocalFarm } from '../farm/local-farm.ts'

export type OwnFarmOptions = {
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
