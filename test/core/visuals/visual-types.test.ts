import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { Visual } from '../../../core/project/schema/visuals.ts'
import { visualTypes } from '../../../core/visuals/visual-types.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const rooms = ['api', 'cli', 'core', 'runtime', 'scheduler', 'store', 'worker', 'workflows']

/** Lines of code that compare the type of a visual with a name. */
function comparisonsIn(code: string): string[] {
  const name = `'(?:${Object.keys(visualTypes).join('|')})'`
  const asked = [
    `\\btype\\)? [!=]== \\(?${name}`,
    `\\bcase ${name}`,
    `\\[${name}[^\\]]*\\]\\.includes`,
  ]
  return code.match(new RegExp(`^.*(?:${asked.join('|')}).*$`, 'gm')) ?? []
}

test('the table lists the types of the schema in the same order', (t) => {
  t.deepEqual(
    Object.values(visualTypes).map(({ schema }) => schema),
    Visual.anyOf,
  )
  t.deepEqual(
    Object.keys(visualTypes),
    Visual.anyOf.map(({ properties: { type } }) => 'title' in type && type.title),
  )
})

test('comparisons with the type of a visual are recognised', (t) => {
  const compared = [
    "if (visual.type !== 'TEXT') continue",
    "type === ('SVG' satisfies VisualKind)",
    "    case 'GIF':",
    "['TEXT', 'SVG'].includes(type)",
  ]
  t.deepEqual(comparisonsIn(compared.join('\n')), compared)
  t.deepEqual(comparisonsIn("project.type === 'image'\nconst visual = { type: 'TEXT' }"), [])
})

test('only a visual type’s folder compares types; readers ask the table', (t) => {
  const own = join('core', 'visuals')
  const files = rooms.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .map((file) => join(room, file))
      .filter((file) => file.endsWith('.ts') && !file.startsWith(own)),
  )
  t.true(files.length > 500)
  const found = files.flatMap((file) =>
    comparisonsIn(readFileSync(join(root, file), 'utf8')).map((line) => `${file}: ${line.trim()}`),
  )
  t.deepEqual(found, [])
})
