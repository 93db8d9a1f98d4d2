import { readFileSync } from 'node:fs'
import test from 'ava'
import { mediaUrlFault, webhookUrlFault } from '../../../core/project/media-url.ts'
import { outcomeOf } from './outcome.ts'

const rows = readFileSync(new URL('hostile-urls.tsv', import.meta.url), 'utf8')
  .split('\n')
  .filter((row) => row !== '' && !row.startsWith('#'))
  .map((row) => row.split('\t') as [url: string, context: string, expect: string, reason: string])
  // Addresses and redirects of a name are known only when it is dialled.
  .filter(([, , , reason]) => !/\[(?:dns:|http)/.test(reason))

/** Reads `[vars:u=http://127.0.0.1/]` as `{ u: 'http://127.0.0.1/' }`. */
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

const accepted = [
  'https://host.example:/',
  'https://host.example:?q',
  'http://host.example:#f',
  'https://[2606:4700:4700::1111]:/a',
  'https://münchen.example/',
  'https://MÜNCHEN.example:443/a.png',
  'https://mu\u0308nchen.example./',
  'https://straße.example/',
  'https://例え.example/',
  'https://XN--MNCHEN-3YA.example/',
  `https://${'a.'.repeat(125)}abc/`,
]

for (const url of accepted) {
  test(`a public URL is taken: ${url.slice(0, 60)}`, (t) => {
    t.is(mediaUrlFault(url), undefined)
    if (url.startsWith('https:')) t.is(webhookUrlFault(url), undefined)
  })
}

const refused = [
  'https://münchen.local/',
  'https://münchen/',
  'https://example\u3002com/',
  'https://example\uff0ecom/',
  'https://example\uff61com/',
  'https://ｅxample.com/',
  'https://\u212aelvin.example/',
  'https://ex\u00adample.com/',
  'https://münchen\u200d.example/',
  'https://m%C3%BCnchen.example/',
  'https://ex%61mple.com/',
  'https://１.1.1.1/',
  'https://münchen.example..com/',
  'https://münchen@example.com/',
  'https://@münchen.example/',
  'https://:@example.com/',
  'https://münchen.example:8443/',
  'https://[fe80::1%25eth0]/',
  'https://[2606:4700:4700::1111%25eth0]/',
  'https://:/',
  'https://:443/',
  'https://xn--/',
  'https://xn--a-ä.example/',
  `https://${'a.'.repeat(126)}abc/`,
  `https://${'ü'.repeat(60)}.example/`,
]

for (const url of refused) {
  test(`a URL that is not plainly public is refused: ${JSON.stringify(url.slice(0, 60))}`, (t) => {
    t.truthy(mediaUrlFault(url))
    t.truthy(webhookUrlFault(url))
  })
}

test('a webhook has the standard port of https, media may have both', (t) => {
  t.is(mediaUrlFault('https://example.com:80/'), undefined)
  t.regex(webhookUrlFault('https://example.com:80/') ?? '', /on port 443. Got port 80/)
  t.is(webhookUrlFault('https://example.com:0443/'), undefined)
  t.is(webhookUrlFault('https://example.com:/'), undefined)
})

test('a scheme in capitals is refused, and the message says so', (t) => {
  t.regex(mediaUrlFault('HTTPS://example.com/a.png') ?? '', /in small letters/)
  const payload = { visuals: [{ type: 'IMAGE', src: 'HTTPS://example.com/a.png' }] }
  t.regex(outcomeOf({ payload }).faults[0]?.message ?? '', /in small letters/)
})
