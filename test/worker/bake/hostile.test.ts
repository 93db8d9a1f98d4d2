import { access, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { FarmError } from '../../../core/errors.ts'
import { createLog } from '../../../runtime/log.ts'
import { createBaker } from '../../../worker/bake/baker.ts'
import { html, never, svg } from './baking.ts'

const around = (inside: string, attributes = 'viewBox="0 0 9 9"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${inside}</svg>`

/** Builds levels that each use the one below `width` times. */
function useBomb(levels: number, width: number): string {
  const groups = Array.from({ length: levels }, (_, level) => {
    return `<g id="a${level + 1}">${`<use href="#a${level}"/>`.repeat(width)}</g>`
  })
  return `<defs><g id="a0"><rect width="1"/></g>${groups.join('')}</defs><use href="#a${levels}"/>`
}

const pictures: [what: string, markup: string, message: RegExp][] = [
  ['an entity bomb', `<!DOCTYPE svg [<!ENTITY a "aa">]>${around('&a;')}`, /start with <svg/],
  [
    'entities inside',
    around('<!DOCTYPE s [<!ENTITY a SYSTEM "file:///etc/passwd">]>&a;'),
    /entity/,
  ],
  ['a style sheet instruction', around('<?xml-stylesheet href="http://h/"?>'), /instruction/],
  ['ten to the ninth elements by use', around(useBomb(9, 10)), /at most 100000 elements/],
  ['two to the thirtieth elements by use', around(useBomb(30, 2)), /at most 100000 elements/],
  ['tags 30000 deep', around('<g>'.repeat(30_000)), /at most 128 deep/],
  ['a flood of elements', around('<path/>'.repeat(12_000)), /at most 10000 elements/],
  ['an edge of 16000 px', around('', 'width="16000" height="9"'), /at most 4096/],
  ['an edge of 500 cm', around('', 'width="500cm" height="9"'), /at most 4096/],
  ['a viewBox of 16000 px', around('', 'viewBox="0 0 16000 9"'), /at most 4096/],
  ['a local file', around('<image href="file:///etc/passwd"/>'), /<image> is not allowed/],
  ['another picture', around('<use href="http://h/a.svg#a"/>'), /only name an element/],
  ['a paint from elsewhere', around('<rect fill="url(http://h/#a)"/>'), /only name an element/],
  ['a filter from elsewhere', around('<rect style="filter:url(//h/#a)"/>'), /only name an element/],
  ['a style sheet', around('<style>@import "http://h/"</style>'), /not/],
  ['a script', around('<script>1</script>'), /<script> is not allowed/],
  ['an event', around('<rect onload="1"/>'), /Event attributes/],
  ['a page inside', around('<foreignObject><b>x</b></foreignObject>'), /not allowed/],
  ['an animated address', around('<animate attributeName="href" to="http://h/"/>'), /not allowed/],
]

const pages: [what: string, markup: string, message: RegExp][] = [
  ['a picture from elsewhere', '<img src="http://h/">', /img|src/],
  ['a background from elsewhere', '<b style="background:url(http://h/)">x</b>', /url/],
  ['a frame', '<iframe src="file:///etc/passwd"></iframe>', /<iframe> is not allowed/],
  ['tags 30000 deep', '<div>'.repeat(30_000), /at most 128 deep/],
  ['a flood of tags', '<b>a</b>'.repeat(20_000), /at most 10000 elements/],
  [
    'a style of 400 shadows',
    `<b style="box-shadow:${Array(400).fill('0 0 500px red').join()}">x</b>`,
    /at most 4000 characters/,
  ],
]

for (const [kind, cases] of [
  ['SVG', pictures],
  ['HTML', pages],
] as const) {
  for (const [what, markup, message] of cases) {
    test(`${kind} with ${what} is refused by its field and starts no browser`, async (t) => {
      const dataDir = await mkdtemp(join(tmpdir(), 'farm-hostile-'))
      t.teardown(() => rm(dataDir, { recursive: true, force: true }))
      const baker = createBaker({ log: createLog('test', 'silent'), dataDir })
      t.teardown(() => baker.close())
      const field = 'scenes[2].visuals[5]'
      const document = kind === 'SVG' ? svg(markup, { field }) : html(markup, { field })
      const error = await t.throwsAsync(baker.bake([document], never), { instanceOf: FarmError })
      t.is(error?.code, 'element_invalid')
      t.is(error?.field, field)
      t.regex(error?.message ?? '', message)
      // Its home is the first thing a browser gets.
      await t.throwsAsync(access(join(dataDir, 'browser')), { code: 'ENOENT' })
    })
  }
}
