type Failed = { readonly id: string; readonly failedReason: string | null }

/** Groups failed jobs by their reason, the most frequent first. */
export function groupedReasons(jobs: readonly Failed[]) {
  return [...Map.groupBy(jobs, ({ failedReason }) => failedReason ?? 'no reason is known')]
    .map(([reason, failed]) => ({ reason, ids: failed.map(({ id }) => id) }))
    .toSorted((a, b) => b.ids.length - a.ids.length)
}
