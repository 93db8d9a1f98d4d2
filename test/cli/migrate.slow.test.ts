import test from 'ava'
import { startPostgres } from '../../infra/local/postgres.ts'
import { farm, newFolder } from './run-farm.ts'

test('migrate makes the schema of an empty database, once', async (t) => {
  const postgres = await startPostgres({ dataDir: newFolder() })
  t.teardown(() => postgres.stop())
  const env = { DATABASE_URL: postgres.url }
  const plan = await farm(['migrate', '--plan'], { env })
  t.regex(plan.out, /^comes 0006_bulks: needs the release before gone$/m)
  t.regex(plan.out, /^comes 0066_engines: additive$/m)
  t.regex(plan.out, /^roles of the release before must be stopped/m)
  t.notRegex(plan.out, /^ran /m)
  const first = await farm(['migrate'], { env })
  t.is(first.code, 0, first.err)
  t.regex(first.out, /^ran 0001_/m)
  const second = await farm(['migrate'], { env })
  t.is(second.out, 'nothing to do, the schema is the newest\n')
  const without = await farm(['migrate'])
  t.is(without.code, 2)
  t.regex(without.err, /DATABASE_URL must be/)
})
