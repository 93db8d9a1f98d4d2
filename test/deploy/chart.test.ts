import { readdirSync, readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import test from 'ava'
import { parse, parseAllDocuments } from 'yaml'
import { taskKinds } from '../../core/queue/tasks.ts'
import { chartFiles, placesOf } from '../../infra/chart/files.ts'
import { chart, installations, refused, type Values, valuesOf } from './chart-values.ts'

const schema = JSON.parse(readFileSync(`${chart}/values.schema.json`, 'utf8'))
const judge = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema)

/** Places that the schema finds fault with, as `pools/0/name`. */
function faultsOf(values: Values): string[] {
  if (judge(values)) return []
  return (judge.errors ?? []).map(({ instancePath }) => instancePath.slice(1))
}

/** Sets a value as `helm --set` does, for the few forms that the tests use. */
function withValue(values: Values, set: string): Values {
  const [path = '', text = ''] = set.split(/=(.*)/s)
  const copy = structuredClone(values)
  const names = path.split(/[.[\]]+/).filter((name) => name !== '')
  const last = names.pop() ?? ''
  let place = copy as Record<string, unknown>
  for (const name of names) place = place[name] as Record<string, unknown>
  const list = /^\{(.*)\}$/.exec(text)?.[1]
  place[last] = list !== undefined ? [list] : /^\d+$/.test(text) ? Number(text) : text
  return copy
}

test('the schema accepts every installation of the tests', (t) => {
  t.true(installations.length >= 6)
  for (const name of installations) t.deepEqual(faultsOf(valuesOf(name)), [], name)
})

test('the schema refuses nonsense and names its place', (t) => {
  t.true(refused.length >= 10)
  for (const { at, set } of refused) {
    const values = withValue(valuesOf('minimal'), set)
    t.true(faultsOf(values).includes(at), `${set}: ${faultsOf(values)}`)
  }
})

test('without values the schema names all that an installation must say', (t) => {
  const own = parse(readFileSync(`${chart}/values.yaml`, 'utf8')) as Values
  t.deepEqual([...new Set(faultsOf(own))].sort(), [
    ...['image/control', 'image/worker', 'publicUrl', 'secret', 'temporal/address'],
  ])
})

test('pools may name exactly the kinds of tasks that nodes know', (t) => {
  const { kinds } = schema.properties.pools.items.properties
  t.deepEqual(kinds.items.enum, Object.keys(taskKinds))
})

test("the chart has the farm's version, alerts and dashboards", (t) => {
  const { version, appVersion } = parse(readFileSync(`${chart}/Chart.yaml`, 'utf8'))
  const root = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  t.deepEqual([version, appVersion], [root.version, root.version])
  for (const { from, to } of chartFiles.map(placesOf)) {
    t.is(readFileSync(to, 'utf8'), readFileSync(from, 'utf8'), '`npm run chart:files` copies it')
  }
})

test('examples parse, and name no password', (t) => {
  const files = readdirSync(`${chart}/examples`).toSorted()
  t.deepEqual(files, ['karpenter.yaml', 'keda.yaml', 'postgres.yaml', 'temporal.yaml'])
  for (const file of files) {
    const text = readFileSync(`${chart}/examples/${file}`, 'utf8')
    for (const document of parseAllDocuments(text, { merge: true })) {
      t.deepEqual(document.errors, [], file)
      t.notRegex(JSON.stringify(document.toJS()), /"password":/, file)
    }
  }
})
