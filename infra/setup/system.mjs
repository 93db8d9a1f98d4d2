import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cacheDir, onPath } from './cache.mjs'
import { withLock } from './hold-lock.mjs'
import { lacksVenv } from './schemathesis.mjs'
import { mustRun, run, SetupError } from './shell.mjs'

const isMac = process.platform === 'darwin'
const isRoot = process.getuid?.() === 0

const macBrowsers = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

function hasBrowser() {
  const names = ['chromium-headless-shell', 'chromium', 'chromium-browser']
  return (
    onPath(...names, 'google-chrome', 'google-chrome-stable') !== undefined ||
    (isMac && macBrowsers.some((path) => existsSync(path)))
  )
}

const vulkanDrivers = '/usr/share/vulkan/icd.d'

/** True with any Vulkan driver, even a software one: the tests of the GPU's canvas run on it. */
function hasVulkan() {
  return existsSync(vulkanDrivers) && readdirSync(vulkanDrivers).length > 0
}

/**
 * Returns the folders of Debian's Postgres servers, newest last. Unlike npm's, they compile
 * statements (JIT).
 */
export function debianPostgres() {
  const folder = '/usr/lib/postgresql'
  if (!existsSync(folder)) return []
  const versions = readdirSync(folder).sort((a, b) => Number(a) - Number(b))
  return versions
    .map((version) => `${folder}/${version}`)
    .filter((path) => existsSync(`${path}/bin/postgres`))
}

/** Lists the system programs that the farm needs and that are missing, as words for a person. */
function missingPrograms({ forTests }) {
  return [
    !(onPath('ffmpeg') && onPath('ffprobe')) && 'ffmpeg',
    !hasBrowser() && 'chromium',
    process.platform === 'linux' && !onPath('bwrap') && 'bubblewrap',
    // Its tests are skipped without it, so it is installed only where that is easy.
    forTests && onPath('apt-get') && !hasVulkan() && 'mesa-vulkan-drivers',
    forTests && onPath('apt-get') && debianPostgres().length === 0 && 'postgresql',
    forTests && lacksVenv() && (isMac ? 'python3' : 'python3-venv'),
  ].filter(Boolean)
}

async function aptHas(name) {
  return (await run('apt-cache', ['show', '--no-all-versions', name])).code === 0
}

/**
 * Returns Debian's names for `programs`. The headless shell starts seven times faster than the browser.
 */
async function aptNames(programs) {
  const names = []
  for (const program of programs) {
    if (program !== 'chromium') names.push(program)
    else if (await aptHas('chromium-headless-shell')) names.push('chromium-headless-shell')
    else names.push('chromium')
  }
  return names
}

function asRoot(command) {
  if (isRoot) return command
  if (!onPath('sudo')) {
    throw new SetupError(
      `Installing system packages needs root and there is no sudo: run \`${command.slice(Math.max(0, command.indexOf('apt-get'))).join(' ')}\` as root, then this again.`,
    )
  }
  // Fails without a terminal, as nobody could type a password.
  return ['sudo', ...(process.stdin.isTTY ? [] : ['-n']), ...command]
}

/** True where root's commands need neither a password nor a person. */
export async function isRootAtHand() {
  return isRoot || (onPath('sudo') !== undefined && (await run('sudo', ['-n', 'true'])).code === 0)
}

async function aptUpdate() {
  const [command, ...args] = asRoot(['apt-get', 'update', '-q'])
  await run(command, args)
}

const clusterSettings = '/etc/postgresql-common/createcluster.conf'

/** Keeps Debian's package from making and starting a server: the tests start their own. */
async function makeNoCluster() {
  const script = `[ -e ${clusterSettings} ] || { mkdir -p ${dirname(clusterSettings)} && echo 'create_main_cluster = false' > ${clusterSettings}; }`
  const [command, ...args] = asRoot(['sh', '-c', script])
  await run(command, args)
}

/** Installs Debian packages; the lists are fetched first when they are absent or out of date. */
async function installDebianPackages(programs) {
  let names = await aptNames(programs)
  let areKnown = true
  for (const name of names) areKnown &&= await aptHas(name)
  if (!areKnown) {
    await aptUpdate()
    names = await aptNames(programs)
  }
  if (names.includes('postgresql')) await makeNoCluster()
  const [command, ...args] = asRoot([
    // Another program may be installing, too.
    ...['env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', '-o', 'DPkg::Lock::Timeout=600'],
    ...['install', '-y', '-q', '--no-install-recommends', ...names],
  ])
  if ((await run(command, args)).code === 0) return
  await aptUpdate()
  await mustRun(command, args, {
    sentence: `Debian's packages ${names.join(', ')} could not be installed: run \`apt-get install ${names.join(' ')}\` as root, then this again.`,
  })
}

async function installWithHomebrew(programs) {
  const formulae = programs.filter((program) => program !== 'chromium')
  const sentence = `Homebrew could not install ${programs.join(', ')}: run \`brew install ${programs.join(' ')}\`, then this again.`
  if (formulae.length > 0) await mustRun('brew', ['install', '--quiet', ...formulae], { sentence })
  if (programs.includes('chromium')) {
    await mustRun('brew', ['install', '--quiet', '--cask', 'chromium'], { sentence })
  }
}

let lastTurn = Promise.resolve()

/** Lets one caller at a time use the package manager, in this process and in other set-ups. */
function withPackageManager(work) {
  const turn = lastTurn.then(() => withLock(join(cacheDir(), 'packages.lock'), work))
  lastTurn = turn.catch(() => {})
  return turn
}

/** Installs programs by the system's own package manager. */
export async function installPrograms(programs) {
  if (isMac && onPath('brew')) return withPackageManager(() => installWithHomebrew(programs))
  if (onPath('apt-get')) return withPackageManager(() => installDebianPackages(programs))
  const how = isMac
    ? 'install Homebrew from https://brew.sh'
    : "install them with this system's package manager"
  throw new SetupError(
    `Missing on this machine: ${programs.join(', ')}; ${how}, then run this again.`,
  )
}

/** Unpacks a Debian package into `folder` without installing it. @throws Error where there is none */
export async function unpackDebianPackage(name, folder) {
  if (!onPath('apt-get')) throw new Error('this system has no apt')
  if (!(await aptHas(name))) await withPackageManager(aptUpdate)
  // apt's own user may not write into a home.
  const args = ['-q', '-o', 'APT::Sandbox::User=', 'download', name]
  const fetched = await run('apt-get', args, { cwd: folder })
  if (fetched.code !== 0) throw new Error(fetched.tail.split('\n').at(-1))
  const file = readdirSync(folder).find((each) => each.endsWith('.deb'))
  const unpacked = await run('dpkg-deb', ['-x', String(file), 'package'], { cwd: folder })
  if (unpacked.code !== 0) throw new Error(unpacked.tail)
  return join(folder, 'package')
}

/** Returns the step for ffmpeg, Chromium and bubblewrap, or undefined when all are there. */
export function programsStep(purpose) {
  const missing = missingPrograms(purpose)
  if (missing.length === 0) return undefined
  return {
    key: 'programs',
    name: missing.join(', '),
    how: isMac ? 'with Homebrew' : "from the system's packages",
    async install() {
      await installPrograms(missing)
      const still = missingPrograms(purpose)
      if (still.length > 0) {
        throw new SetupError(
          `Still missing after the installation: ${still.join(', ')}; install it so that it is on PATH, then run this again.`,
        )
      }
    },
  }
}

/** Returns the step that adds a user for Postgres, which refuses to run as root. */
export async function postgresUserStep() {
  if (!isRoot || isMac) return undefined
  if ((await run('id', ['postgres'])).code === 0) return undefined
  return {
    name: 'a system user `postgres`',
    how: 'for the local database, which refuses to run as root',
    async install() {
      await mustRun(
        'useradd',
        [
          '--system',
          '--user-group',
          '--no-create-home',
          '--shell',
          '/usr/sbin/nologin',
          'postgres',
        ],
        {
          sentence:
            'The user `postgres` could not be made: make it with `useradd --system postgres`, or set DATABASE_URL to a Postgres of your own.',
        },
      )
    },
  }
}
