import type { PlanLimits } from '../../../core/accounts/plans.ts'
import { count, counted, duration } from '../words/format.ts'

const px = (value: number) => `${count(value)} px`

const words: { readonly [Name in keyof PlanLimits]: [string, (value: number) => string] } = {
  webhooks: ['Webhooks', count],
  durationSeconds: ['Length of a film', duration],
  canvasPx: ['Width or height of a film', px],
  elementPx: ['Width or height of an element', px],
  positionPx: ['Distance of an element from the corner', px],
  cropPx: ['Place or size of a crop', px],
  sourceSeconds: ['Time within a sound or clip', duration],
  scenes: ['Scenes of a film', count],
  visuals: ['Visuals of a film', count],
  audios: ['Sounds of a film', count],
  bulkItems: ['Films of a bulk request', count],
  bulkInFlight: ['Films of a bulk in progress at a time', count],
  templates: ['Stored templates', count],
  uploads: ['Uploads', count],
  projects: ['Stored drafts', count],
  apiKeys: ['API keys', count],
  requestsPerMinute: ['Requests of the account', (value) => `${count(value)} a minute`],
  keyRequestsPerMinute: ['Requests of a key', (value) => `${count(value)} a minute`],
  previewsPerMinute: ['Painted previews', (value) => `${count(value)} a minute`],
  previewsPerDay: ['Painted previews of a day', count],
  previewsAtOnce: ['Previews painted at a time', count],
  retentionDays: ['Outputs are kept', (value) => counted(value, 'day')],
  storedGigabytes: ['Storage', (value) => `${count(value)} GB`],
}

const known: Readonly<Record<string, (typeof words)[keyof PlanLimits] | undefined>> = words

/** Names a limit of the plan; one of a newer farm by its own name. */
export const limitName = (name: string): string => known[name]?.[0] ?? name

export const limitValue = (name: string, value: number): string =>
  (known[name]?.[1] ?? count)(value)
