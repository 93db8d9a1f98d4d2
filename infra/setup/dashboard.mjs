import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mustRun } from './shell.mjs'

/** All that the pages are made of: a change of any of them makes them anew. */
const sources = ['dashboard', 'client', 'core', 'package-lock.json']

/**
 * Returns the step that builds the dashboard's pages, or undefined when they are those of the sources, or
 * when there are no sources, as where only the built pages are shipped.
 */
export function dashboardStep(root) {
  if (!existsSync(join(root, 'dashboard'))) return undefined
  const built = join(root, 'out', 'dashboard', '.made-of')
  const isNeeded = () => !existsSync(built) || readFileSync(built, 'utf8') !== digestOf(root)
  if (!isNeeded()) return undefined
  return {
    after: ['packages'],
    lock: join(root, '.farm', 'dashboard.lock'),
    isNeeded,
    name: "the dashboard's pages",
    how: 'into out/dashboard',
    async install() {
      const bin = join(root, 'node_modules', '.bin')
      await mustRun(join(bin, 'node'), [join(bin, 'vite'), 'build', 'dashboard', '-l', 'error'], {
        cwd: root,
        sentence: "The dashboard's pages could not be built: see what Vite says above.",
      })
      await writeFile(built, digestOf(root))
    },
  }
}

function digestOf(root) {
  const hash = createHash('sha256')
  for (const source of sources) {
    for (const file of filesOf(join(root, source))) hash.update(file).update(readFileSync(file))
  }
  return hash.digest('hex')
}

function filesOf(path) {
  if (!existsSync(path)) return []
  if (path.endsWith('.json')) return [path]
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
}
