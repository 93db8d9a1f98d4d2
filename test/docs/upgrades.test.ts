import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import test from 'ava'

const changelog = fileURLToPath(new URL('../../CHANGELOG.md', import.meta.url))

test('each release says in one line how to upgrade to it', (t) => {
  const releases = readFileSync(changelog, 'utf8').split(/^## /m).slice(1)
  t.true(releases.length > 0)
  for (const release of releases) {
    const lines = release.split('\n').filter((line) => line.startsWith('Upgrade: '))
    t.is(lines.length, 1, release.slice(0, 20))
    t.regex(lines[0] ?? '', /^Upgrade: (rolling|stop (nodes|workflows|apis)) \| \S.+\.$/)
  }
})
