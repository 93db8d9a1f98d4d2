// `npm run lock`, after `npm install NAME`: completes package-lock.json with the packages for other
// platforms that a registry left out. A mirror may lack, say, the macOS build of a package; npm then
// writes a lock without it, with which `npm ci` fails here and skips that build on a Mac.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const systems = ['darwin', 'linux', 'win32', 'android', 'freebsd', 'openharmony']
const processors = ['arm64', 'x64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x']
const libraries = { gnu: 'glibc', glibc: 'glibc', musl: 'musl' }

/** Reads the platform from a package name like `@napi-rs/canvas-linux-arm64-musl`. */
function platformOf(name) {
  const words = name.split(/[-/]/).map((word) => (word === 'armv7' ? 'arm' : word))
  const os = words.find((word) => systems.includes(word))
  const cpu = words.find((word) => processors.includes(word))
  const libc = Object.entries(libraries).find(([word]) => words.includes(word))?.[1]
  return os && cpu ? { os: [os], cpu: [cpu], libc: libc && [libc] } : undefined
}

/** Returns the entries that `lock` lacks, by path: every optional package pinned to one version. */
export function missingEntries(lock) {
  const missing = {}
  for (const { optionalDependencies = {}, dev } of Object.values(lock.packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const path = `node_modules/${name}`
      const platform = platformOf(name)
      if (lock.packages[path] || !platform || !/^\d/.test(version)) continue
      // Fields are in npm's own order, so that npm does not reorder them later; JSON drops what is
      // undefined.
      const { os, cpu, libc } = platform
      missing[path] = { version, cpu, dev, libc, optional: true, os }
    }
  }
  return missing
}

function completeLock(file) {
  const lock = JSON.parse(readFileSync(file, 'utf8'))
  const entries = Object.entries({ ...lock.packages, ...missingEntries(lock) })
  entries.sort(([a], [b]) => a.localeCompare(b, 'en'))
  writeFileSync(
    file,
    `${JSON.stringify({ ...lock, packages: Object.fromEntries(entries) }, null, 2)}\n`,
  )
}

const self = fileURLToPath(import.meta.url)
if (process.argv[1] === self) {
  completeLock(fileURLToPath(new URL('../../package-lock.json', import.meta.url)))
}
