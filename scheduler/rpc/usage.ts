import type { NodeUsage } from '../../proto/gen/farm/v1/node.ts'

/** Returns the usage that a node told, within its bounds; nodes of older versions tell none. */
export function usageOf({ usage }: { readonly usage?: NodeUsage | undefined }): {
  readonly usage?: NodeUsage
} {
  if (usage === undefined || !Number.isFinite(usage.cpu)) return {}
  return { usage: { ...usage, cpu: Math.min(1, Math.max(0, usage.cpu)) } }
}
