import test from 'ava'
import { judgeGrant } from '../../../api/gateway/grants.ts'
import { signPlayLinks } from '../../../api/playback/play-links.ts'

const links = { publicUrl: 'https://farm.example.com', secret: 'a secret' }
const jobId = '5f0c8a4e-5d0b-4f3e-9c1a-0d6f0f2b7a11'
const now = new Date('2026-11-26T12:00:00Z')
const hour = 3_600_000

function grantOf(filesExpireAt: Date | null = null): string {
  const { playlistUrl } = signPlayLinks(links, { jobId, filesExpireAt, now })
  return new URL(playlistUrl).pathname.split('/').at(-2) ?? ''
}

const judge = (grant: string, at = now, of = jobId) =>
  judgeGrant({ kind: 'play', id: of }, { grant, now: at, secret: links.secret })

test('an address plays its job for a day, and then has expired', (t) => {
  const grant = grantOf()
  t.is(judge(grant), 'granted')
  t.is(judge(grant, new Date(now.getTime() + 23 * hour)), 'granted')
  t.is(judge(grant, new Date(now.getTime() + 25 * hour)), 'expired')
})

test('an address ends with the files of its job', (t) => {
  const grant = grantOf(new Date(now.getTime() + hour))
  t.is(judge(grant, new Date(now.getTime() + 2 * hour)), 'expired')
})

test('another job, another secret, another time and anything else are refused', (t) => {
  const grant = grantOf()
  t.is(judge(grant, now, jobId.replace('5', '6')), 'refused')
  t.is(judgeGrant({ kind: 'play', id: jobId }, { grant, now, secret: 'another secret' }), 'refused')
  t.is(judgeGrant({ kind: 'zip', id: jobId }, { grant, now, secret: links.secret }), 'refused')
  const [seconds, signature] = grant.split('-')
  t.is(judge(`${Number(seconds) + 1}-${signature}`), 'refused')
  for (const bad of ['', '-', '1-', `${seconds}-${'0'.repeat(32)}`, `${grant}0`, ` ${grant}`]) {
    t.is(judge(bad), 'refused', bad)
  }
})
