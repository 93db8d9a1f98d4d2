import { readFileSync } from 'node:fs'
import test from 'ava'

/** Versions whose insides store/db/tenant-query.ts was checked against. */
const checked = { pg: '8.23.1', 'pg-protocol': '1.16.1' }

const advice = `store/db/tenant-query.ts overrides methods of pg's Query that are no public interface.
1. Compare pg's lib/query.js, lib/connection.js and _handleParseComplete in lib/client.js with the
   versions in this test: submit, hasBeenParsed, handleDataRow, handleCommandComplete, handleError,
   parsedStatements, and the order of parse, bind, execute and close.
2. Run test/store/db/account-databases.test.ts and prepared.test.ts.
3. Name the new versions here and pin pg exactly in package.json.`

const read = (file: string) =>
  JSON.parse(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8'))
const versionOf = (name: string): string => read(`node_modules/${name}/package.json`).version

test('a new version of pg is checked against what TenantQuery overrides', (t) => {
  const installed = { pg: versionOf('pg'), 'pg-protocol': versionOf('pg-protocol') }
  t.deepEqual(installed, checked, advice)
})

test('package.json pins pg exactly', (t) => {
  t.is(read('package.json').dependencies.pg, checked.pg, advice)
})
