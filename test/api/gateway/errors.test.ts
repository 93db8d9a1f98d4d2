import { readFileSync } from 'node:fs'
import test from 'ava'
import { errorCodes } from '../../../core/errors.ts'

test('docs/errors.md lists exactly all codes, with status and whose fault it is', (t) => {
  const text = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
  const rows = [...text.matchAll(/^\| `(\w+)` \| (\d+) \| (yours|ours) \| .{20,} \|$/gm)]
  const documented = rows.map(([, code, http, whose]) => [code, Number(http), whose])
  const known = Object.entries(errorCodes).map(([code, { http, blame }]) => [
    code,
    http,
    blame === 'farm' ? 'ours' : 'yours',
  ])
  t.deepEqual(documented, known)
})
