import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { readVariable } from '../../cli/options.ts'
import { readProjectFile } from '../../cli/render/project-file.ts'
import { newFolder } from './run-farm.ts'

const folder = newFolder()

function read(content: unknown, variables?: Record<string, unknown>) {
  const file = join(folder, `${Math.random()}.json`)
  writeFileSync(file, JSON.stringify(content))
  return readProjectFile(file, variables)
}

test('a project is wrapped into a request and loses its $schema', (t) => {
  t.deepEqual(read({ $schema: '../schema.json', duration: 1 }), { payload: { duration: 1 } })
})

test('a request stays as it is, but for $schema inside and outside', (t) => {
  const request = { $schema: 'a', payload: { $schema: 'b', duration: 1 }, overrides: { width: 9 } }
  t.deepEqual(read(request), { payload: { duration: 1 }, overrides: { width: 9 } })
})

test('variables of the command line win over those of the file', (t) => {
  const { variables } = read({ payload: {}, variables: { a: 1, b: 2 } }, { b: 3 })
  t.deepEqual(variables, { a: 1, b: 3 })
  t.deepEqual(read({ duration: 1 }, { b: 3 }), { payload: { duration: 1 }, variables: { b: 3 } })
})

test('a request that names a template alone is refused', (t) => {
  t.throws(() => read({ template: 'tpl_01234567890123456789' }), { message: /as `payload`/ })
})

test('--var values are JSON when they parse as such, else text', (t) => {
  const texts = ['n=5', 'b=true', 's=plain words', 'o={"a":[1]}', 'q="5"', 'e=', 'eq=a=b']
  const variables = texts.reduce<Record<string, unknown>>(
    (all, text) => readVariable(text, all),
    {},
  )
  const o = { a: [1] }
  t.deepEqual(variables, { n: 5, b: true, s: 'plain words', o, q: '5', e: '', eq: 'a=b' })
})

test('a number that would be sent as null is refused', (t) => {
  const file = join(folder, 'infinite.json')
  writeFileSync(file, '{"duration":1,"variables":{"price":1e999}}')
  t.throws(() => readProjectFile(file), { message: /json: price must be finite. Got Infinity/ })
  t.throws(() => readVariable('o={"price":-1e999}'), { message: /price must be finite/ })
  t.throws(() => readVariable('n=1e999'), { message: /A number must be finite/ })
  t.deepEqual(readVariable('n=1e308'), { n: 1e308 })
})
