import test from 'ava'
import { compileCheck } from '../../../core/project/check.ts'
import { mediaUrlFault } from '../../../core/project/media-url.ts'
import { makeReport } from '../../../core/project/report.ts'
import { mediaUrl, text, urlPattern } from '../../../core/project/schema/fields.ts'
import { requestJsonSchema } from '../../../core/project/schema/publish.ts'
import { hostileUrls } from './hostile-urls.ts'

test('the checker refuses a schema whose keywords it does not know', (t) => {
  t.throws(() => compileCheck({ type: 'number', multipleOf: 2 }), { message: /multipleOf/ })
})

function faultsOf(schema: object, value: unknown) {
  const report = makeReport('invalid_request')
  compileCheck(schema)(value, 'name', { stage: 'sent', report })
  return report.faults.map(({ code, message }) => `${code}: ${message}`)
}

test('the published URL pattern accepts every URL that the rule accepts', (t) => {
  const pattern = new RegExp(urlPattern, 'u')
  const shapeless = [
    ...['http://', 'https:///a.png', 'http://?a', 'https://#', 'http://:80/', 'https://.@a.com/'],
    ...['https://a b.com/', 'https://a.com/\0', 'https://a.com\\b', 'https://u:p@a.com/'],
    ...[
      'https://a.com:x/',
      'https://a%41.com/',
      'HTTP://a.com/',
      'https://[::1',
      'https://a.com/\n',
    ],
  ]
  for (const url of shapeless) t.false(pattern.test(url), JSON.stringify(url))
  for (const url of ['https://bücher.example/ä?ö#ü', 'http://a.com', 'https://A_b-c.de:443?x']) {
    t.true(pattern.test(url), url)
  }
  for (const { url } of hostileUrls()) {
    if (mediaUrlFault(url) === undefined) t.true(pattern.test(url), url)
  }
})

test('only URLs that the pattern refuses are faults of shape', (t) => {
  t.regex(faultsOf(mediaUrl, 'http://').join(), /^invalid_request: name must be a URL with a host/)
  t.regex(faultsOf(mediaUrl, 'http://10.0.0.1/').join(), /^invalid_project: .* public host/)
  t.deepEqual(faultsOf(mediaUrl, 'http://example.com/'), [])
})

test('a text with NUL is refused by its pattern, without being shown', (t) => {
  const [fault, ...others] = faultsOf(text(100), 'secret\0')
  t.deepEqual(others, [])
  t.regex(fault ?? '', /^invalid_request: Text must be .* without NUL\. Got NUL at position 6\.$/)
})

test('no request text may have a NUL, as its published schema says', (t) => {
  const texts: string[] = []
  const visit = (schema: unknown, path: string) => {
    if (typeof schema !== 'object' || schema === null) return
    const { type, pattern, enum: names, const: value } = schema as Record<string, unknown>
    if (type === 'string' && names === undefined && value === undefined) {
      texts.push(path)
      t.is(typeof pattern, 'string', path)
      const taken = ['a', '#fff', '{{ a }}', '<svg>', 'https://a.com/', '1'].map(
        (each) => `${each}\0`,
      )
      for (const each of taken) t.false(new RegExp(String(pattern), 'u').test(each), path)
    }
    for (const [key, inner] of Object.entries(schema)) visit(inner, `${path}/${key}`)
  }
  visit(requestJsonSchema('render-request'), '')
  t.true(texts.length > 30, `${texts.length} texts`)
})
