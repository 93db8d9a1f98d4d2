import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheDir, onPath } from './cache.mjs'
import { mustRun, run, SetupError } from './shell.mjs'
import { installPrograms } from './system.mjs'

/** Oldest Go that fetches a newer Go by itself. */
const selfUpdatingMinor = 21
/** Toolchain that an older Go is told to fetch, as Temporal's server and MinIO require. */
const toolchain = 'go1.25.5'

const architectures = { x64: 'amd64', arm64: 'arm64' }

/** Names this platform as Go does: `linux`, `amd64`. */
export function goPlatform() {
  return { os: process.platform, arch: architectures[process.arch] ?? process.arch }
}

async function minorVersion(go) {
  const { stdout } = await run(go, ['version'], { env: { GOTOOLCHAIN: 'local' } })
  return Number(/go1\.(\d+)/.exec(stdout)?.[1] ?? 0)
}

async function makeExecutable(folder) {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) await chmod(join(entry.parentPath ?? entry.path, entry.name), 0o755)
  }
}

/**
 * Fetches a new Go through an old one (Debian 12 has 1.19), as the module it is published as. The
 * module is checked against Go's checksum database. Only the executable bits are missing then.
 */
async function fetchToolchain(oldGo) {
  const { os, arch } = goPlatform()
  const version = `v0.0.1-${toolchain}.${os}-${arch}`
  const goPath = join(cacheDir(), 'go')
  await mkdir(goPath, { recursive: true })
  await mustRun(oldGo, ['mod', 'download', `golang.org/toolchain@${version}`], {
    cwd: goPath,
    env: { GOPATH: goPath, GOMODCACHE: join(goPath, 'modules'), GOFLAGS: '-modcacherw' },
    sentence: `Go ${toolchain} could not be fetched: install Go 1.${selfUpdatingMinor} or newer from https://go.dev/dl, then run this again.`,
  })
  const folder = join(goPath, 'modules', 'golang.org', `toolchain@${version}`)
  await makeExecutable(join(folder, 'bin'))
  await makeExecutable(join(folder, 'pkg', 'tool'))
  return join(folder, 'bin', 'go')
}

function installedGo() {
  const usual = '/usr/local/go/bin/go'
  return onPath('go') ?? (existsSync(usual) ? usual : undefined)
}

let found

/** Returns the path of a Go that can build today's modules; installs Go when there is none. */
function findGo() {
  found ??= findOrInstallGo()
  return found
}

async function findOrInstallGo() {
  if (!installedGo()) await installPrograms([process.platform === 'darwin' ? 'go' : 'golang-go'])
  const go = installedGo()
  if (!go) {
    throw new SetupError('Go is missing: install it from https://go.dev/dl, then run this again.')
  }
  return (await minorVersion(go)) >= selfUpdatingMinor ? go : fetchToolchain(go)
}

let lastBuild = Promise.resolve()

/** Builds one program at a time: each build uses all cores and some gigabytes. */
function inTurn(note, build) {
  const turn = lastBuild.then(build)
  lastBuild = turn.catch(() => {})
  note('waiting for the build before it')
  return turn
}

/**
 * Words of a build. Debugging information, which the linker would drop, is a fifth of the work. The
 * tag leaves out the gRPC transport of Google's storage client, a tenth of Temporal's packages. `-v`
 * names each package, which is counted.
 */
function buildOptions(tags = 'disable_grpc_modules') {
  return ['-v', '-trimpath', '-gcflags=all=-dwarf=false', '-ldflags=-s -w', '-tags', tags]
}

/** Returns a listener that tells how far a build is. */
function countPackages(note) {
  const count = { fetched: 0, compiled: 0 }
  return (line) => {
    count[line.startsWith('go: ') ? 'fetched' : 'compiled'] += 1
    const what = count.compiled > 0 ? `compiled ${count.compiled} packages` : 'fetching'
    note(`${what} with Go`)
  }
}

/** Builds the program of a Go module into `folder`. */
export async function goInstall(module, { folder, sentence, note }) {
  const go = await findGo()
  await inTurn(note, () =>
    mustRun(go, ['install', ...buildOptions(), module], {
      cwd: folder,
      env: { GOBIN: folder, GOTOOLCHAIN: 'auto', CGO_ENABLED: '0' },
      onLine: countPackages(note),
      sentence,
    }),
  )
}

/**
 * Builds packages of a module inside that module, where its own go.mod applies: `go install`
 * refuses a module with excluded or replaced versions.
 */
export async function goBuildModule(module, { folder, packages, tags, sentence, note }) {
  const go = await findGo()
  const env = { GOTOOLCHAIN: 'auto', GOWORK: 'off', CGO_ENABLED: '0' }
  const { stdout } = await mustRun(go, ['mod', 'download', '-json', module], {
    ...{ cwd: folder, env, sentence },
  })
  await inTurn(note, () =>
    mustRun(go, ['build', ...buildOptions(tags), '-o', `${folder}/`, ...packages], {
      cwd: JSON.parse(stdout).Dir,
      onLine: countPackages(note),
      ...{ env, sentence },
    }),
  )
}
