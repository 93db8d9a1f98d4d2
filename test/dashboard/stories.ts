// `npm run dashboard:stories`: runs the stories of customers and operators in real browsers, and writes
// their pictures with a page that shows them to out/dashboard-stories. The built pages are in out/dashboard.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = `${root}out/dashboard-stories`

const titles: Readonly<Record<string, string>> = {
  '01': 'One address and one button: the film plays while it renders',
  '02': 'A word changed in the editor',
  '03': 'A table becomes films',
  '04': 'A bulk of 500 stills',
  '05': 'By the keyboard alone',
  '06': 'A failed job says what was wrong',
  '07': 'A limit holds a job, and an operator lifts it',
  '08': 'A node is killed in the middle',
  '09': 'A webhook, its failures and its body',
  '10': 'A key is shown once',
  '11': 'Credits add up',
  '12': 'Five nodes: cordoned, drained, quarantined and back',
  '13': 'Two tabs over three lives of a token',
  '14': 'Ten tabs, one stream',
  '15': 'Names of strangers',
  '16': 'Pages of strangers',
  '17': 'Addresses of another account',
  '18': 'Light, dark, forced colours, narrow and large',
  '19': 'The farm, its database, the session or the clock goes away',
  '20': 'Limits of the plan',
  '22': 'A network that falls silent',
}

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
const { status } = spawnSync(
  process.execPath,
  [`${root}test/run.ts`, 'test/dashboard/**/*.slow.test.ts'],
  { cwd: root, stdio: 'inherit', env: { ...process.env, FARM_TEST_PICTURES: folder } },
)
writeFileSync(
  `${folder}/index.html`,
  page(readdirSync(folder).filter((name) => name.endsWith('.png'))),
)
console.log(`Pictures: ${folder}/index.html`)
process.exit(status ?? 1)

function page(names: readonly string[]): string {
  const groups = Map.groupBy(names.toSorted(), (name) => /^story-(\d\d)/.exec(name)?.[1] ?? '')
  const sections = [...groups].toSorted(([a], [b]) => (a || '99').localeCompare(b || '99'))
  const shown = sections.map(([number, pictures]) => {
    const title = number === '' ? 'Screens' : `${number}: ${titles[number] ?? 'A story'}`
    const figures = pictures.map(
      (name) =>
        `<figure><a href="${name}"><img src="${name}" alt="" loading="lazy"></a><figcaption>${name}</figcaption></figure>`,
    )
    return `<h2>${title}</h2>\n<div>${figures.join('\n')}</div>`
  })
  return `<!doctype html>
<meta charset="utf-8">
<title>Stories of the dashboard</title>
<style>
  body { font: 15px/1.5 system-ui; margin: 24px }
  div { display: grid; grid-template-columns: repeat(auto-fill, minmax(320px, 1fr)); gap: 16px }
  figure { margin: 0 }
  img { width: 100%; border: 1px solid #ccc }
</style>
<h1>Stories of the dashboard</h1>
${shown.join('\n')}
`
}
