import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { crowdedFolders } from '../../infra/folder-sizes.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Runs the boundaries of `npm run check` over a checkout of these files. @returns the broken rules */
function brokenRules(files: Readonly<Record<string, string>>): string[] {
  const checkout = mkdtempSync(join(tmpdir(), 'farm-boundaries-'))
  try {
    for (const name of [
      'node_modules',
      '.dependency-cruiser.cjs',
      'tsconfig.json',
      'package.json',
    ]) {
      symlinkSync(join(root, name), join(checkout, name))
    }
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(checkout, file)), { recursive: true })
      writeFileSync(join(checkout, file), text)
    }
    const args = ['--config', '.dependency-cruiser.cjs', '--output-type', 'json', '.']
    const { stdout } = spawnSync(join(root, 'node_modules/.bin/depcruise'), args, {
      cwd: checkout,
      encoding: 'utf8',
    })
    const { summary }: { summary: { violations: { rule: { name: string } }[] } } =
      JSON.parse(stdout)
    return [...new Set(summary.violations.map(({ rule }) => rule.name))].sort()
  } finally {
    rmSync(checkout, { recursive: true, force: true })
  }
}

test('a circle by types alone is refused', (t) => {
  const files = {
    'core/a.ts': "import type { B } from './b.ts'\nexport type A = { b?: B }\n",
    'core/b.ts': "import type { A } from './a.ts'\nexport type B = { a?: A }\n",
  }
  t.deepEqual(brokenRules(files), ['no-circles'])
})

test('imports upwards are refused in every room', (t) => {
  const value = 'export const value = 1\n'
  const files = {
    ...{ 'cli/up.ts': value, 'api/up.ts': value, 'store/up.ts': value, 'test/up.ts': value },
    'core/low.ts': "export * from '../runtime/low.ts'\n",
    'runtime/low.ts': "export * from '../store/up.ts'\n",
    'store/low.ts': "export * from '../api/up.ts'\n",
    'api/low.ts': "export * from '../cli/up.ts'\n",
    'workflows/low.ts': "export * from '../api/up.ts'\n",
    'scheduler/low.ts': "export * from '../cli/up.ts'\n",
    'worker/low.ts': "export * from '../api/up.ts'\n",
    'cli/low.ts': "export * from '../test/up.ts'\n",
  }
  const stays = ['api', 'cli', 'runtime', 'scheduler', 'store', 'worker', 'workflows']
  t.deepEqual(brokenRules(files), [
    ...['api', 'cli'].map((name) => `${name}-stays-in-its-room`),
    'core-is-pure',
    ...stays.slice(2).map((name) => `${name}-stays-in-its-room`),
  ])
})

test('imports downwards are allowed', (t) => {
  const files = {
    'core/value.ts': 'export const value = 1\n',
    'runtime/value.ts': "export { value } from '../core/value.ts'\n",
    'store/value.ts': "export { value } from '../runtime/value.ts'\n",
    'scheduler/value.ts': "export { value } from '../store/value.ts'\n",
    'cli/value.ts': "export { value } from '../scheduler/value.ts'\n",
  }
  t.deepEqual(brokenRules(files), [])
})

test('a visual type imports none of its readers', (t) => {
  const value = 'export const value = 1\n'
  const readers = ['core/project/lint/links.ts', 'core/plan/needs.ts', 'core/jobs/pricing.ts']
  for (const reader of readers) {
    const up = `export { value } from '../../../${reader}'\n`
    t.deepEqual(brokenRules({ [reader]: value, 'core/visuals/gif/gif.ts': up }), [
      'visuals-stay-below-their-readers',
    ])
  }
})

test('a one-door folder is imported through its door, own tests excepted', (t) => {
  const value = 'export const value = 1\n'
  const inside = "export { value } from '../png/rows.ts'\n"
  const files = {
    'worker/png/rows.ts': value,
    'worker/png/index.ts': "export { value } from './rows.ts'\n",
    'worker/bake/door.ts': "export { value } from '../png/index.ts'\n",
    'test/worker/png/rows.test.ts': "export { value } from '../../../worker/png/rows.ts'\n",
  }
  t.deepEqual(brokenRules(files), [])
  t.deepEqual(brokenRules({ ...files, 'worker/bake/side.ts': inside }), ['worker-png-has-one-door'])
})

test('a folder of 41 code files is named, one of 40 not', (t) => {
  const filesOf = (folder: string, count: number) =>
    Array.from({ length: count }, (_, i) => `${folder}/file-${i}.ts`)
  const pictures = Array.from({ length: 50 }, (_, i) => `docs/pictures/${i}.png`)
  const files = [...filesOf('store/db', 41), ...filesOf('api', 40), ...pictures]
  t.deepEqual(crowdedFolders(files), ['store/db has 41'])
})
