import { Script } from 'node:vm'
import test from 'ava'
import { plans } from '../../../core/accounts/plans.ts'
import { codeFault } from '../../../core/project/code-faults.ts'
import { validateRequest } from '../../../core/project/validate.ts'

function faultsOf(js: string, more: object = {}) {
  const visual = { type: 'TEXT', html: '<b>x</b>', customCode: { js } }
  const validated = validateRequest(
    { payload: { duration: 1, visuals: [visual], ...more } },
    plans.free,
  )
  return 'faults' in validated ? validated.faults : []
}

/** Parses with the engine's own parser, which runs nothing. */
function isScript(js: string): boolean {
  try {
    return Boolean(new Script(js))
  } catch {
    return false
  }
}

test('a syntax error is a fault with line, column and the reason', (t) => {
  t.deepEqual(faultsOf('const a = 1\nconst b = );'), [
    {
      ...{ field: 'visuals[0].customCode.js', pointer: '/payload/visuals/0/customCode/js' },
      code: 'invalid_project',
      message: 'js must be JavaScript. Got Unexpected token ")" in line 2, column 11.',
    },
  ])
  const messages = [
    ['if (a) {', 'Got Unexpected token at the end in line 1, column 9'],
    ['let a = 1\nlet a = 2', "Got Identifier 'a' has already been declared in line 2, column 5"],
    ['await fetch("x")', 'Got Unexpected token "fetch" in line 1, column 7'],
    ['return 1', "Got 'return' outside of function in line 1, column 1"],
    ['"open', 'Got Unterminated string constant in line 1, column 1'],
    [
      'import a from "b"',
      "Got 'import' and 'export' may appear only in a module in line 1, column 1",
    ],
    ['/(/', 'Got Invalid regular expression: /(/: Unterminated group in line 1, column 2'],
  ] as const
  for (const [js, message] of messages) {
    t.true(faultsOf(js)[0]?.message.includes(message), faultsOf(js)[0]?.message)
  }
})

test('code is judged with its placeholders filled in', (t) => {
  t.deepEqual(faultsOf('const n = {{ n }}', { variables: { n: 7 } }), [])
  t.like(faultsOf('const n = {{ n }}', { variables: { n: ')' } }), [{ code: 'invalid_project' }])
})

test('no code is refused that a browser takes as a script', (t) => {
  const scripts = [
    ...['', '  ', '#!x', '<!-- old', 'with (a) {}', '010', 'var let', 'yield = 1', 'a\u2028b'],
    ...['f() = 1', 'f()++', 'for (f() in x);', '(() => { g() = 1 })', 'import.source("x")'],
    ...['import("x")', 'a ??= b?.c ?? 1_000n', 'async () => { for await (const a of b); }'],
    ...['class A { static #a = 1; static { this.#a } get [b]() {} }', '{ using x = null }'],
    ...['/(?<y>.)|(?<y>.)/v', '/(?i:a)[\\p{L}--q]/v', 'label: function f() {}', 'delete x'],
    ...['try {} catch {}', 'for (var i = 0 in {});', 'if (1) function f() {}', 'await = async'],
    ...['f`\\u`', 'function f(a, a) {}', 'x = { __proto__: 1, a, async *b() {} }'],
  ]
  for (const js of scripts) {
    t.true(isScript(js), js)
    t.is(codeFault(js), undefined, js)
  }
})

test('long and deep code is judged quickly or left to the browser', (t) => {
  const names = Array.from({ length: 30_000 }, (_, i) => `a${i.toString(36)}`)
  t.is(codeFault(`let ${names.join(',')}`), undefined)
  t.is(codeFault(`/${names.map(() => '(?<a>)').join('|')}/`), undefined)
  t.is(codeFault('['.repeat(50_000) + ']'.repeat(50_000)), undefined)
  t.is(
    codeFault(`${'{'.repeat(1000)}${names.map((a) => `var ${a};`).join('')}${'}'.repeat(1000)}`),
    undefined,
  )
})
