import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { knownMigrations } from '../../store/db/migrate.ts'

const changelog = readFileSync(
  fileURLToPath(new URL('../../CHANGELOG.md', import.meta.url)),
  'utf8',
)

test('each release says in one line how to upgrade to it', (t) => {
  const releases = changelog.split(/^## /m).slice(1)
  t.true(releases.length > 0)
  for (const release of releases) {
    const lines = release.split('\n').filter((line) => line.startsWith('Upgrade: '))
    t.is(lines.length, 1, release.slice(0, 20))
    t.regex(lines[0] ?? '', /^Upgrade: (rolling|stop (nodes|workflows|apis)) \| \S.+\.$/)
  }
})

test('the latest upgrade with migrations names the newest of them', (t) => {
  const [, newest] = /^Upgrade: .*\(\d{4} to (\d{4})\)/m.exec(changelog) ?? []
  t.is(newest, knownMigrations.at(-1)?.slice(0, 4))
})
