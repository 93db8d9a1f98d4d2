import test from 'ava'
import { type Notice, noticeBody, noticeDelay } from '../../../core/alerts/notice.ts'

const notice: Notice = {
  ...{ id: '7', alertId: '0b7cbd5a-32b8-4b92-9a0e-0f1a34fc7c6b', state: 'raised' },
  ...{ alert: 'FarmQueueStuck', severity: 'page', words: '5 tasks <wait> & nothing runs' },
  at: '2030-01-01T00:00:00.000Z',
}
const farmUrl = 'https://farm.example.com/films'
const sender = { address: { url: 'https://example.com', key: 'a routing key' }, farmUrl }

test('our own form says all of an alert, nothing of its receiver', (t) => {
  t.deepEqual(noticeBody('json', notice, sender), {
    ...notice,
    runbook: 'docs/OPERATIONS.md#farmqueuestuck',
    page: 'https://farm.example.com/films/farm',
  })
})

test('Slack gets one line, in which no stranger’s name is markup', (t) => {
  t.deepEqual(noticeBody('slack', notice, sender), {
    text: ':rotating_light: 5 tasks &lt;wait&gt; &amp; nothing runs (FarmQueueStuck), runbook docs/OPERATIONS.md#farmqueuestuck, <https://farm.example.com/films/farm|the farm>',
  })
  const ended = noticeBody('slack', { ...notice, state: 'ended' }, sender) as { text: string }
  t.regex(ended.text, /^:white_check_mark: Over: 5 tasks/)
})

test('PagerDuty is told to resolve what it was told to trigger', (t) => {
  const words = 'x'.repeat(2_000)
  const begun = noticeBody('pagerduty', { ...notice, words }, sender)
  t.like(begun, {
    ...{ routing_key: 'a routing key', event_action: 'trigger', dedup_key: notice.alertId },
    payload: { source: 'farm.example.com', severity: 'critical', summary: 'x'.repeat(1_024) },
  })
  const ticket = noticeBody('pagerduty', { ...notice, severity: 'ticket' }, sender)
  t.like(ticket, { payload: { severity: 'warning' } })
  t.deepEqual(noticeBody('pagerduty', { ...notice, state: 'ended' }, sender), {
    ...{ routing_key: 'a routing key', event_action: 'resolve', dedup_key: notice.alertId },
  })
})

test('a notice is tried for six hours, every ten minutes at most', (t) => {
  const delays: number[] = []
  for (let failed = 1; ; failed += 1) {
    const delay = noticeDelay(failed)
    if (delay === undefined) break
    delays.push(delay)
  }
  t.deepEqual(delays.slice(0, 5), [10_000, 30_000, 90_000, 270_000, 600_000])
  const hours = delays.reduce((sum, delay) => sum + delay, 0) / 3_600_000
  t.true(hours > 5 && hours < 7, `${hours}`)
})
