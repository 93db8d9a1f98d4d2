import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import test from 'ava'
import { commandsSection } from '../../infra/docs/cli-page.ts'
import { configurationSection, namesRead } from '../../infra/docs/configuration-page.ts'
import { decisionsSection } from '../../infra/docs/decisions-index.ts'
import { expectedSection, writtenSection } from '../../infra/docs/generated-section.ts'
import { metricsSection } from '../../infra/docs/metrics-table.ts'
import { settingsGroups } from '../../infra/docs/settings.ts'

const root = new URL('../../', import.meta.url)
const documented = settingsGroups.flatMap(({ settings }) => settings.map(({ name }) => name))

for (const section of [commandsSection, configurationSection, decisionsSection, metricsSection]) {
  test(`docs/${section.page} has the ${section.name} that the code has`, async (t) => {
    t.is(writtenSection(section), await expectedSection(section), `npm run ${section.script}`)
  })
}

test('every variable that a role reads is documented', (t) => {
  for (const [role, names] of namesRead) {
    t.deepEqual(
      [...names].filter((name) => !documented.includes(name)),
      [],
      `${role}: add them to infra/docs/settings.ts`,
    )
  }
})

test('the documented FARM_ variables are those that the code names', (t) => {
  const files = execFileSync('git', ['ls-files', '*.ts', '*.mjs', 'farm'], { cwd: root })
    .toString()
    .split('\n')
    .filter((file) => file !== '' && !/^(test|bench|infra\/docs)\//.test(file))
  const named = files.flatMap((file) => {
    const text = readFileSync(new URL(file, root), 'utf8')
    return [...text.matchAll(/\bFARM_[A-Z_]*[A-Z]\b(?!_?\*)/g)].map(([name]) => name)
  })
  t.deepEqual(
    [...new Set(named)].sort(),
    documented.filter((name) => name.startsWith('FARM_')).sort(),
  )
})
