import { execFile } from 'node:child_process'
import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = new URL('../..', import.meta.url).pathname

/** Taken while no release is tagged: the last commit before nodes of two engines could serve at once. */
const lastUntagged = 'a6d9fe65a7d60e09cd9e006d227410388ef9611d'

/**
 * Writes the sources of the release before into a folder: of FARM_SKEW_FROM, of the last tag, or of the last
 * commit that had none. They share this checkout's packages. @returns its name in git, and its command line
 */
export async function checkOutReleaseBefore(
  folder: string,
): Promise<{ readonly name: string; readonly program: string }> {
  const name = process.env.FARM_SKEW_FROM ?? (await lastTag()) ?? lastUntagged
  await mkdir(folder, { recursive: true })
  const tar = join(folder, 'release.tar')
  await run('git', ['archive', '--output', tar, name], { cwd: root })
  await run('tar', ['-xf', tar, '-C', folder])
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return { name, program: join(folder, 'cli', 'main.ts') }
}

async function lastTag(): Promise<string | undefined> {
  const { stdout } = await run('git', ['tag', '--merged', 'HEAD~1', '--sort=-creatordate'], {
    cwd: root,
  })
  return stdout.split('\n').find((line) => line !== '')
}
