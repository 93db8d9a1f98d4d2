import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheDir, onPath } from './cache.mjs'
import { mustRun } from './shell.mjs'

/**
 * Describes a Python program in an environment of its own, filled from PyPI. `requirements`: file of
 * all its packages, each pinned to one version; `probe`: words of Python that show that it runs.
 */
export function pythonTool({ name, version, requirements, probe }) {
  const home = () => join(cacheDir(), `${name}-${version}`)
  /** Path of the Python that runs it; it may not exist. */
  const python = () => join(home(), 'bin', 'python')

  /**
   * Returns the step that installs it, or undefined when it is there. The environment is renamed
   * into place when complete: Python finds its parts relative to its `python`.
   */
  function step() {
    if (existsSync(python())) return undefined
    return {
      // Python's venv module may be among them.
      after: ['programs'],
      lock: join(cacheDir(), `${name}.lock`),
      isNeeded: () => !existsSync(python()),
      name: `${name} ${version}`,
      how: `into ${home()}: a Python environment of its own, filled from PyPI`,
      install: async () => await install(),
    }
  }

  async function install() {
    await mkdir(cacheDir(), { recursive: true })
    const folder = await mkdtemp(join(cacheDir(), `.${name}-`))
    const unfinished = join(folder, 'bin', 'python')
    try {
      await mustRun('python3', ['-m', 'venv', folder], {
        sentence:
          'A Python environment could not be made: install python3-venv, then run this again.',
      })
      const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check']
      await mustRun(unfinished, [...pip, '--requirement', requirements], {
        sentence: `${name} could not be installed from PyPI: see what pip says above, then run this again.`,
      })
      await mustRun(unfinished, probe, {
        sentence: `${name} does not run on this machine: see what it says above.`,
      })
      await rename(folder, home())
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  /** True where Python, or its venv module, must be installed first. */
  function lacksVenv() {
    if (existsSync(python())) return false
    const found = onPath('python3')
    return !found || spawnSync(found, ['-c', 'import ensurepip, venv']).status !== 0
  }

  return { python, step, lacksVenv }
}
