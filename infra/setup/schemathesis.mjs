import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { cacheDir, onPath } from './cache.mjs'
import { mustRun } from './shell.mjs'

const version = '4.32.0'
/** File of all required packages, each pinned to one version. */
const requirements = fileURLToPath(new URL('schemathesis.txt', import.meta.url))

function home() {
  return join(cacheDir(), `schemathesis-${version}`)
}

/** Path of the Python that runs it, as `python -m schemathesis.cli`; it may not exist. */
export function schemathesisPython() {
  return join(home(), 'bin', 'python')
}

/** True where Python, or its venv module, must be installed first. */
export function lacksVenv() {
  if (existsSync(schemathesisPython())) return false
  const python = onPath('python3')
  return !python || spawnSync(python, ['-c', 'import ensurepip, venv']).status !== 0
}

/**
 * Returns the step that installs schemathesis, or undefined when it is there. Schemathesis sends
 * the gateway every request that its published document allows and forbids. The environment is
 * renamed into place when complete: Python finds its parts relative to its `python`.
 */
export function schemathesisStep() {
  if (existsSync(schemathesisPython())) return undefined
  return {
    // Python's venv module may be among them.
    after: ['programs'],
    lock: join(cacheDir(), 'schemathesis.lock'),
    isNeeded: () => !existsSync(schemathesisPython()),
    name: `schemathesis ${version}`,
    how: `into ${home()}: a Python environment of its own, filled from PyPI`,
    async install() {
      await mkdir(cacheDir(), { recursive: true })
      const folder = await mkdtemp(join(cacheDir(), '.schemathesis-'))
      const python = join(folder, 'bin', 'python')
      try {
        await mustRun('python3', ['-m', 'venv', folder], {
          sentence:
            'A Python environment could not be made: install python3-venv, then run this again.',
        })
        const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
        await mustRun(python, [...pip, '--requirement', requirements], {
          sentence:
            'schemathesis could not be installed from PyPI: see what pip says above, then run this again.',
        })
        await mustRun(python, ['-m', 'schemathesis.cli', '--version'], {
          sentence: 'schemathesis does not run on this machine: see what it says above.',
        })
        await rename(folder, home())
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}
