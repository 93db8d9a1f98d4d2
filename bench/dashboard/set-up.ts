import { cp, mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
// @ts-expect-error: the set-up runs before there is a compiler, and has no types.
import { dashboardStep } from '../../infra/setup/dashboard.mjs'
import { secondsOf } from '../statistics.ts'
import type { Figure } from './figure.ts'

const root = new URL('../../', import.meta.url).pathname
const sources = [
  'dashboard',
  'client',
  'core',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
]

/** Seconds in which the set-up builds the pages of a fresh clone. */
export async function setUp(): Promise<Figure[]> {
  const copy = await mkdtemp(join(tmpdir(), 'farm-bench-'))
  try {
    for (const name of sources) await cp(join(root, name), join(copy, name), { recursive: true })
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'))
    const seen = await secondsOf(() => dashboardStep(copy).install())
    return [{ name: 'set-up builds the pages', seen, most: 15, unit: 's' }]
  } finally {
    await rm(copy, { recursive: true, force: true })
  }
}
