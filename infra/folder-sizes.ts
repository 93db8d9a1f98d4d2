// Part of `npm run check`: a folder holds at most 40 files of code, so that its list can be read at a glance.
import { execFileSync } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'

const filesMost = 40
const isCode = /\.(?:ts|mts|cts|js|mjs|cjs|sh|grit)$/

/** Lists folders with too many files of code, in their order: `store/db has 41`. */
export function crowdedFolders(files: readonly string[]): string[] {
  const folders = Map.groupBy(
    files.filter((file) => isCode.test(file)),
    dirname,
  )
  return [...folders]
    .filter(([, inside]) => inside.length > filesMost)
    .map(([folder, inside]) => `${folder} has ${inside.length}`)
    .sort()
}

if (import.meta.main) {
  const root = fileURLToPath(new URL('..', import.meta.url))
  // Files that are not yet added count too.
  const list = ['ls-files', '--cached', '--others', '--exclude-standard']
  const files = execFileSync('git', list, { cwd: root, encoding: 'utf8' }).trim().split('\n')
  const crowded = crowdedFolders(files)
  if (crowded.length > 0) {
    console.log(`A folder holds at most ${filesMost} files of code. ${crowded.join(', ')}`)
    process.exitCode = 1
  }
}
