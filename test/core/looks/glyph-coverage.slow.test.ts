import test from 'ava'
import { coverageTable, writtenCoverage } from '../../../infra/font-coverage.ts'

test('the table of characters matches the font files (npm run fonts:coverage)', async (t) => {
  t.timeout(120_000)
  t.is(writtenCoverage(), await coverageTable())
})
