import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { mustRun, SetupError } from './shell.mjs'

function readPackages(file) {
  return Object.entries(JSON.parse(readFileSync(file, 'utf8')).packages).filter(
    ([path]) => path !== '',
  )
}

/**
 * True where node_modules matches package-lock.json. npm writes its record of the installation
 * last, so an interrupted install counts as none.
 */
function packagesMatch(root) {
  const record = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(record) || !existsSync(join(root, 'node_modules', '.bin', 'node'))) return false
  const installed = new Map(readPackages(record))
  const wanted = readPackages(join(root, 'package-lock.json'))
  return wanted.every(([path, { version, integrity, optional }]) => {
    const there = installed.get(path)
    // Optional packages are for one platform each: most are rightly absent.
    if (!there) return optional === true
    return there.version === version && there.integrity === integrity
  })
}

/**
 * Returns the step that installs the packages of package-lock.json, or undefined when they are there.
 */
export function packagesStep(root) {
  if (packagesMatch(root)) return undefined
  return {
    key: 'packages',
    lock: join(root, '.farm', 'packages.lock'),
    isNeeded: () => !packagesMatch(root),
    name: 'the npm packages of package-lock.json',
    how: 'into node_modules',
    async install() {
      await mustRun('npm', ['ci', '--include=dev', '--include=optional', '--loglevel=error'], {
        cwd: root,
        sentence:
          'The npm packages could not be installed: see what npm says above, and run `npm ci`.',
      })
      if (!packagesMatch(root)) {
        throw new SetupError(
          'The npm packages were installed, but node_modules is not what package-lock.json asks for: run `npm ci` and see what it says.',
        )
      }
    },
  }
}
