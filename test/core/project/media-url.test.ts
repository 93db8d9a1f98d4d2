import { readFileSync } from 'node:fs'
import test from 'ava'
import { mediaUrlFault, webhookUrlFault } from '../../../core/project/media-url.ts'
import { outcomeOf } from './outcome.ts'

const rows = readFileSync(new URL('hostile-urls.tsv', import.meta.url), 'utf8')
  .split('\n')
  .filter((row) => row !== '' && !row.startsWith('#'))
  .map((row) => row.split('\t') as [url: string, context: string, expect: string, reason: string])
  // What a name resolves to and where it redirects shows only when it is dialled.
  .filter(([, , , reason]) => !/\[(?:dns:|http)/.test(reason))

/** `[vars:u=http://127.0.0.1/]` → `{ u: 'http://127.0.0.1/' }` */
function variablesOf(reason: string): Record<string, string> {
  const found = /\[vars:(\w+)=([^\]]*)\]/.exec(reason)
  return found ? { [found[1] ?? '']: found[2] ?? '' } : {}
}

test('the table has its cases', (t) => {
  t.true(rows.length > 150)
})

for (const [text, context, expect, reason] of rows) {
  const short = text.length > 60 ? `${text.slice(0, 60)}…` : text
  test(`as ${context}, ${expect} ${short} (${reason})`, (t) => {
    const url = JSON.parse(`"${text}"`) as string
    const fault = context === 'media' ? mediaUrlFault(url) : webhookUrlFault(url)
    t.is(fault === undefined ? 'accept' : 'reject', expect, fault)
    const [field, body] =
      context === 'media'
        ? ['visuals[0].src', { payload: { visuals: [{ type: 'IMAGE', src: url }] } }]
        : ['webhookUrl', { payload: {}, webhookUrl: url }]
    const told = outcomeOf({ ...body, variables: variablesOf(reason) }).faults.find(
      (each) => each.field === field,
    )
    t.is(told === undefined ? 'accept' : 'reject', expect, told?.message)
  })
}

test('plain http is for media, and for webhooks of trusted hosts only', (t) => {
  const url = 'http://example.com/x'
  t.is(mediaUrlFault(url), undefined)
  t.regex(webhookUrlFault(url) ?? '', /must be an https URL/)
  t.is(webhookUrlFault(url, { trustedHosts: ['example.com:80'] }), undefined)
})

test('a trusted host and port is exempt, its neighbours are not', (t) => {
  const trustedHosts = ['127.0.0.1:8123']
  t.is(mediaUrlFault('http://127.0.0.1:8123/a.png', { trustedHosts }), undefined)
  t.truthy(mediaUrlFault('http://127.0.0.1:8124/a.png', { trustedHosts }))
  t.truthy(mediaUrlFault('http://user@127.0.0.1:8123/a.png', { trustedHosts }))
  t.truthy(mediaUrlFault('ftp://127.0.0.1:8123/a.png', { trustedHosts }))
})
