import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { cacheBinDir, findProgram } from './cache.mjs'
import { download } from './download.mjs'
import { goInstall, goPlatform } from './golang.mjs'
import { run, SetupError, say } from './shell.mjs'

const { os, arch } = goPlatform()

const temporalVersion = '1.5.1'
const temporalArchive = `temporal_cli_${temporalVersion}_${os}_${arch}.tar.gz`
const temporalReleases = `https://github.com/temporalio/cli/releases/download/v${temporalVersion}`
const minioReleases = `https://dl.min.io/server/minio/release/${os}-${arch}`
const toxiproxyVersion = '2.12.0'
const toxiproxyReleases = `https://github.com/Shopify/toxiproxy/releases/download/v${toxiproxyVersion}`

/**
 * The foreign servers: where each is published and the module it is built from otherwise. Newer
 * versions of Temporal's cannot be built this way (their go.mod has replacements).
 */
const servers = {
  temporal: {
    title: `Temporal's server ${temporalVersion}`,
    module: `github.com/temporalio/cli/cmd/temporal@v${temporalVersion}`,
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
    module: 'github.com/minio/minio@latest',
    async fetch(folder) {
      const file = join(folder, 'minio')
      const url = `${minioReleases}/minio`
      await download({ url, sumsUrl: `${url}.sha256sum`, file })
    },
  },
  'toxiproxy-server': {
    title: `Toxiproxy ${toxiproxyVersion}`,
    module: `github.com/Shopify/toxiproxy/v2/cmd/server@v${toxiproxyVersion}`,
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
}

async function fetchOrBuild(name, folder) {
  const { title, module, fetch } = servers[name]
  try {
    await fetch(folder)
  } catch (error) {
    if (error instanceof SetupError) throw error
    // No network, a proxy, a moved file: building may work where downloading does not.
    say(`${title} cannot be downloaded (${error.cause?.message ?? error.message}); building it`)
    await goInstall(module, {
      folder,
      sentence: `${title} could neither be downloaded nor built: put a program \`${name}\` on PATH, then run this again.`,
    })
    // Go names a program after the folder of its module.
    const [built] = module.split('@')
    if (basename(built) !== name) await rename(join(folder, basename(built)), join(folder, name))
  }
  const program = join(folder, name)
  await chmod(program, 0o755)
  if ((await run(program, ['--version'])).code !== 0) {
    throw new SetupError(
      `${title} does not run on this machine: put a program \`${name}\` that does on PATH, then run this again.`,
    )
  }
  return program
}

/**
 * The step that brings a server into the cache, or undefined when it is on PATH or there. It is
 * renamed into place when it is whole, so an interruption leaves nothing that looks finished.
 */
export function serverStep(name) {
  if (findProgram(name)) return undefined
  return {
    name: servers[name].title,
    how: `into ${cacheBinDir()}: downloaded or, where that is not possible, built with Go (minutes)`,
    async install() {
      await mkdir(cacheBinDir(), { recursive: true })
      const folder = await mkdtemp(join(cacheBinDir(), `.${name}-`))
      try {
        await rename(await fetchOrBuild(name, folder), join(cacheBinDir(), name))
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}
