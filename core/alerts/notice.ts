import { runbookOf, type Severity } from './findings.ts'

/** Forms in which notices are sent: our own JSON, Slack's incoming webhooks, PagerDuty's events. */
export const noticeForms = ['json', 'slack', 'pagerduty'] as const
export type NoticeForm = (typeof noticeForms)[number]

export const noticeStates = ['raised', 'ended'] as const

/** Word to a receiver of the operators: an alert is raised, or has ended. */
export type Notice = {
  readonly id: string
  /** The same for the beginning and the end of one alert. */
  readonly alertId: string
  readonly state: (typeof noticeStates)[number]
  readonly alert: string
  readonly severity: Severity
  /** Fault in a sentence. */
  readonly words: string
  /** Time at which it was raised or ended, ISO 8601. */
  readonly at: string
}

/** `address`: where notices go in this form. `key`: PagerDuty's routing key. */
export type NoticeAddress = { readonly url: string; readonly key?: string | undefined }

/** `farmUrl`: public address of the farm. */
export type Sender = { readonly address: NoticeAddress; readonly farmUrl: string }

/** Returns the body of a notice in a receiver's form. */
export function noticeBody(form: NoticeForm, notice: Notice, sender: Sender): object {
  switch (form) {
    case 'json':
      return ownBody(notice, sender)
    case 'slack':
      return { text: slackText(notice, sender) }
    case 'pagerduty':
      return pagerDutyEvent(notice, sender)
    default:
      return form satisfies never
  }
}

function ownBody({ id, alertId, state, alert, severity, words, at }: Notice, { farmUrl }: Sender) {
  const runbook = runbookOf(alert)
  const page = pageOf(farmUrl)
  return { id, alertId, state, alert, severity, words, at, runbook, page }
}

/** Plain text in Slack's mrkdwn. https://api.slack.com/messaging/webhooks */
function slackText({ state, alert, severity, words }: Notice, { farmUrl }: Sender): string {
  const page = `<${pageOf(farmUrl)}|the farm>`
  const said = `${escaped(words)} (${alert})`
  if (state === 'ended') return `:white_check_mark: Over: ${said}, ${page}`
  const sign = severity === 'page' ? ':rotating_light:' : ':warning:'
  return `${sign} ${said}, runbook ${runbookOf(alert)}, ${page}`
}

/** Slack reads these three as control characters. */
const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

const summaryLength = 1024

/** Event of PagerDuty's Events API v2: its end resolves what its beginning triggered. */
function pagerDutyEvent(notice: Notice, { address, farmUrl }: Sender): object {
  const { alertId, state, alert, severity, words, at } = notice
  const common = { routing_key: address.key, dedup_key: alertId }
  if (state === 'ended') return { ...common, event_action: 'resolve' }
  return {
    ...{ ...common, event_action: 'trigger', client: 'render farm', client_url: pageOf(farmUrl) },
    payload: {
      summary: words.slice(0, summaryLength),
      source: new URL(farmUrl).host,
      severity: severity === 'page' ? 'critical' : 'warning',
      timestamp: at,
      class: alert,
      custom_details: { runbook: runbookOf(alert) },
    },
  }
}

const pageOf = (farmUrl: string) => `${farmUrl.replace(/\/$/, '')}/farm`

/** Delay before the next try of a notice, ms; undefined: it is given up after about six hours. */
export function noticeDelay(failed: number): number | undefined {
  const longest = 600_000
  if (failed > 40) return undefined
  return Math.min(longest, 10_000 * 3 ** (failed - 1))
}

/** Address for PagerDuty where none is given. */
export const pagerDutyUrl = 'https://events.pagerduty.com/v2/enqueue'
