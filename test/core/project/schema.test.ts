import test from 'ava'
import { compileCheck } from '../../../core/project/check.ts'

test('the checker refuses a schema whose keywords it does not know', (t) => {
  t.throws(() => compileCheck({ type: 'number', multipleOf: 2 }), { message: /multipleOf/ })
})
