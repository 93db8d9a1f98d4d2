import { Ajv2020 } from 'ajv/dist/2020.js'
import test from 'ava'
import fc from 'fast-check'
import { compileCheck } from '../../../core/project/check.ts'
import { makeReport } from '../../../core/project/report.ts'
import { RenderPayload } from '../../../core/project/schema/project.ts'
import { requestJsonSchema } from '../../../core/project/schema/publish.ts'
import { RenderRequest } from '../../../core/project/schema/request.ts'
import { arbitraryOf } from './schema-arbitrary.ts'

const targets = [
  ['project', RenderPayload],
  ['render-request', RenderRequest],
] as const

for (const [target, schema] of targets) {
  test(`the published schema of a ${target} takes just what the checker takes`, (t) => {
    const ajv = new Ajv2020({ strict: true, strictRequired: false })
    const published = ajv.compile(requestJsonSchema(target))
    const check = compileCheck(schema)
    const seen = { valid: 0, invalid: 0 }
    const property = fc.property(arbitraryOf(schema as never), (value) => {
      const report = makeReport('invalid_request')
      check(value, '', { stage: 'sent', report })
      const valid = report.faults.length === 0
      seen[valid ? 'valid' : 'invalid']++
      if (published(value) === valid) return true
      throw new Error(`${JSON.stringify(report.faults)}\n${JSON.stringify(published.errors)}`)
    })
    fc.assert(property, { numRuns: 400 })
    t.true(seen.valid > 20 && seen.invalid > 20, JSON.stringify(seen))
  })
}
