import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheBinDir, cacheDir, findProgram } from './cache.mjs'
import { download } from './download.mjs'
import { goBuildModule, goInstall, goPlatform } from './golang.mjs'
import { canLock } from './hold-lock.mjs'
import { run, SetupError, say } from './shell.mjs'
import { unpackDebianPackage } from './system.mjs'

const { os, arch } = goPlatform()

const temporalVersion = '1.5.1'
const temporalArchive = `temporal_cli_${temporalVersion}_${os}_${arch}.tar.gz`
const temporalReleases = `https://github.com/temporalio/cli/releases/download/v${temporalVersion}`
const prometheusVersion = '3.11.0'
const prometheusFolder = `prometheus-${prometheusVersion}.${os}-${arch}`
const prometheusReleases = `https://github.com/prometheus/prometheus/releases/download/v${prometheusVersion}`
/** The oldest that knows all that infra/prometheus and its tests say; Debian 12 has it. */
const oldestPrometheus = [2, 42]
const minioReleases = `https://dl.min.io/server/minio/release/${os}-${arch}`
const helmVersion = '4.3.1'
const toxiproxyVersion = '2.12.0'
const toxiproxyReleases = `https://github.com/Shopify/toxiproxy/releases/download/v${toxiproxyVersion}`

/**
 * Third-party servers: the programs of each, its download, and its build as the alternative. Newer
 * versions of Temporal's cannot be built this way (their go.mod has replacements). Prometheus has
 * some, too, and is built inside its own module, without cloud discovery: 108 MB, and eight minutes
 * of one core. Where the system has a package of it, `unpack` takes that instead.
 */
const servers = {
  temporal: {
    title: `Temporal's server ${temporalVersion}`,
    programs: ['temporal'],
    build: (options) =>
      goInstall(`github.com/temporalio/cli/cmd/temporal@v${temporalVersion}`, options),
    async fetch(folder) {
      const file = join(folder, 'archive')
      await download({
        url: `${temporalReleases}/${temporalArchive}`,
        sumsUrl: `${temporalReleases}/checksums.txt`,
        name: temporalArchive,
        file,
      })
      const { code, tail } = await run('tar', ['-xzf', file, 'temporal'], { cwd: folder })
      if (code !== 0) throw new Error(`tar: ${tail}`)
    },
  },
  minio: {
    title: 'MinIO',
    programs: ['minio'],
    build: (options) => goInstall('github.com/minio/minio@latest', options),
    async fetch(folder) {
      const file = join(folder, 'minio')
      const url = `${minioReleases}/minio`
      await download({ url, sumsUrl: `${url}.sha256sum`, file })
    },
  },
  'toxiproxy-server': {
    title: `Toxiproxy ${toxiproxyVersion}`,
    programs: ['toxiproxy-server'],
    async build(options) {
      await goInstall(`github.com/Shopify/toxiproxy/v2/cmd/server@v${toxiproxyVersion}`, options)
      // Go names a program after the folder of its source.
      await rename(join(options.folder, 'server'), join(options.folder, 'toxiproxy-server'))
    },
    async fetch(folder) {
      const name = `toxiproxy-server-${os}-${arch}`
      await download({
        url: `${toxiproxyReleases}/${name}`,
        sumsUrl: `${toxiproxyReleases}/checksums.txt`,
        name,
        file: join(folder, 'toxiproxy-server'),
      })
    },
  },
  helm: {
    title: `Helm ${helmVersion}`,
    programs: ['helm'],
    versionArgs: ['version'],
    build: (options) => goInstall(`helm.sh/helm/v4/cmd/helm@v${helmVersion}`, options),
    async fetch(folder) {
      const name = `helm-v${helmVersion}-${os}-${arch}.tar.gz`
      const file = join(folder, 'archive')
      const url = `https://get.helm.sh/${name}`
      await download({ url, sumsUrl: `${url}.sha256sum`, file })
      const args = ['-xzf', file, '--strip-components=1', `${os}-${arch}/helm`]
      const { code, tail } = await run('tar', args, { cwd: folder })
      if (code !== 0) throw new Error(`tar: ${tail}`)
    },
  },
  prometheus: {
    title: `Prometheus ${prometheusVersion} with promtool`,
    programs: ['prometheus', 'promtool'],
    unpack: unpackPrometheus,
    build: (options) =>
      goBuildModule('github.com/prometheus/prometheus@v0.311.0', {
        ...options,
        packages: ['./cmd/prometheus', './cmd/promtool'],
        tags: 'remove_all_sd',
      }),
    async fetch(folder) {
      const file = join(folder, 'archive')
      const name = `${prometheusFolder}.tar.gz`
      const url = `${prometheusReleases}/${name}`
      await download({ url, sumsUrl: `${prometheusReleases}/sha256sums.txt`, name, file })
      const wanted = ['prometheus', 'promtool'].map((program) => `${prometheusFolder}/${program}`)
      const args = ['-xzf', file, '--strip-components=1', ...wanted]
      const { code, tail } = await run('tar', args, { cwd: folder })
      if (code !== 0) throw new Error(`tar: ${tail}`)
    },
  },
}

/** Takes both programs from the system's package, unpacked, where it is new enough. */
async function unpackPrometheus(folder) {
  const unpacked = await unpackDebianPackage('prometheus', folder)
  for (const program of ['prometheus', 'promtool']) {
    await rename(join(unpacked, 'usr', 'bin', program), join(folder, program))
  }
  const { stdout, tail } = await run(join(folder, 'prometheus'), ['--version'])
  const [major = 0, minor = 0] = (/version (\d+)\.(\d+)/.exec(stdout) ?? []).slice(1).map(Number)
  const [oldestMajor, oldestMinor] = oldestPrometheus
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return
  throw new Error(`it must be ${oldestPrometheus.join('.')} or newer. Got ${tail.split('\n')[0]}`)
}

/** Tries `way`; returns its failure in a few words, or undefined. @throws SetupError */
async function failureOf(way) {
  try {
    await way()
    return undefined
  } catch (error) {
    if (error instanceof SetupError) throw error
    return error.cause?.message ?? error.message
  }
}

async function fetchOrBuild(name, folder, note) {
  const { title, programs, versionArgs = ['--version'], build, unpack, fetch } = servers[name]
  note('downloading')
  // No network, a proxy, a moved file: another way may work where the download fails.
  const why = await failureOf(() => fetch(folder))
  const isSystems = why !== undefined && unpack && !(await failureOf(() => unpack(folder)))
  if (isSystems) say(`${title} cannot be downloaded (${why}); taking the system's package`)
  if (why !== undefined && !isSystems) {
    say(`${title} cannot be downloaded (${why}); building it`)
    await build({
      ...{ folder, note },
      sentence: `${title} could neither be downloaded nor built: put ${programs.join(' and ')} on PATH, then run this again.`,
    })
  }
  for (const program of programs) {
    await chmod(join(folder, program), 0o755)
    if ((await run(join(folder, program), versionArgs)).code === 0) continue
    throw new SetupError(
      `${title} does not run on this machine: put a program \`${program}\` that does on PATH, then run this again.`,
    )
  }
}

/** Removes what killed set-ups left. Only for the holder of the server's lock. */
async function removeLeftovers(name) {
  if (!canLock()) return
  const left = (await readdir(cacheBinDir())).filter((each) => each.startsWith(`.${name}-`))
  for (const each of left) await rm(join(cacheBinDir(), each), { recursive: true, force: true })
}

/**
 * Returns the step that brings a server into the cache, or undefined when it is on PATH or there.
 * It is renamed into place when complete, so an interruption leaves nothing that looks finished.
 */
export function serverStep(name) {
  const { programs, title } = servers[name]
  const isNeeded = () => !programs.every(findProgram)
  if (!isNeeded()) return undefined
  return {
    name: title,
    how: `into ${cacheBinDir()}: downloaded or, where that is not possible, built with Go (minutes)`,
    lock: join(cacheDir(), `${name}.lock`),
    isNeeded,
    async install(note) {
      await mkdir(cacheBinDir(), { recursive: true })
      await removeLeftovers(name)
      const folder = await mkdtemp(join(cacheBinDir(), `.${name}-`))
      try {
        await fetchOrBuild(name, folder, note)
        for (const program of programs) {
          await rename(join(folder, program), join(cacheBinDir(), program))
        }
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}
