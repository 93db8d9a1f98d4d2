/**
 * Limits of each plan, as data: every limit that a customer can meet; lengths in px, times in seconds.
 * The numbers of `free` are the interface's (open-parts.md); where it names none, they are ours.
 */
export type PlanLimits = {
  /** Registered webhook endpoints. */
  readonly webhooks: number
  /** Length of a film, and every time given in one. */
  readonly durationSeconds: number
  /** Either edge of the canvas, and a corner's radius. */
  readonly canvasPx: number
  /** Either edge of an element. */
  readonly elementPx: number
  /** Distance of an element from the canvas's corner, in either direction. */
  readonly positionPx: number
  /** Place and size of a crop in its source. */
  readonly cropPx: number
  /** Times in the source of a sound or a clip. */
  readonly sourceSeconds: number
  /**
   * Counted after iteration and conditions; visuals and audios of the project and its scenes together.
   */
  readonly scenes: number
  readonly visuals: number
  readonly audios: number
  /** Items of a bulk submission. */
  readonly bulkItems: number
  /** Jobs of one bulk in progress at a time; the others wait for their turn. */
  readonly bulkInFlight: number
  /** Stored templates. */
  readonly templates: number
  /** Uploaded media. */
  readonly uploads: number
  /** Stored drafts. */
  readonly projects: number
  /** Live API keys. */
  readonly apiKeys: number
  /** Limit of the account, over all its keys. */
  readonly requestsPerMinute: number
  readonly keyRequestsPerMinute: number
  /** Previews that are painted; those found in the store do not count. */
  readonly previewsPerMinute: number
  readonly previewsPerDay: number
  /** Previews of the account that are painted at the same time. */
  readonly previewsAtOnce: number
  /** Days from a job's end until its outputs are deleted. */
  readonly retentionDays: number
  /**
   * Storage for uploads, and for media, bakes and segments that later jobs reuse. The least recently used
   * of those go first; uploads stay until they are deleted.
   */
  readonly storedGigabytes: number
}

const everyPlan = { cropPx: 16_384, sourceSeconds: 14_400, bulkInFlight: 45, previewsPerMinute: 20 }

export const plans = {
  free: {
    ...everyPlan,
    webhooks: 1,
    durationSeconds: 300,
    canvasPx: 1920,
    elementPx: 4096,
    positionPx: 8192,
    scenes: 25,
    visuals: 50,
    audios: 50,
    bulkItems: 50,
    templates: 20,
    projects: 50,
    uploads: 500,
    apiKeys: 5,
    requestsPerMinute: 120,
    keyRequestsPerMinute: 60,
    previewsPerDay: 200,
    previewsAtOnce: 2,
    retentionDays: 7,
    storedGigabytes: 5,
  },
  pro: {
    ...everyPlan,
    webhooks: 10,
    durationSeconds: 1200,
    canvasPx: 3840,
    elementPx: 8192,
    positionPx: 16_384,
    scenes: 100,
    visuals: 500,
    audios: 200,
    bulkItems: 250,
    templates: 500,
    projects: 1000,
    uploads: 5000,
    apiKeys: 50,
    requestsPerMinute: 600,
    keyRequestsPerMinute: 300,
    previewsPerDay: 2000,
    previewsAtOnce: 4,
    retentionDays: 30,
    storedGigabytes: 50,
  },
  studio: {
    ...everyPlan,
    webhooks: 50,
    durationSeconds: 3600,
    canvasPx: 4096,
    elementPx: 8192,
    positionPx: 16_384,
    scenes: 500,
    visuals: 2000,
    audios: 1000,
    bulkItems: 500,
    templates: 5000,
    projects: 10_000,
    uploads: 50_000,
    apiKeys: 500,
    requestsPerMinute: 3000,
    keyRequestsPerMinute: 1500,
    previewsPerDay: 10_000,
    previewsAtOnce: 8,
    retentionDays: 90,
    storedGigabytes: 500,
  },
} as const satisfies Record<string, PlanLimits>

export type PlanName = keyof typeof plans
export const planNames = Object.keys(plans) as readonly PlanName[]
export const largestPlan: PlanName = 'studio'

export function isPlanName(name: string): name is PlanName {
  return Object.hasOwn(plans, name)
}
