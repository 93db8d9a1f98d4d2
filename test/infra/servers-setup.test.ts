import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'

const servers = new URL('../../infra/setup/servers.mjs', import.meta.url)
/** Installs Prometheus without a network, and prints what it says of its progress. */
const script = `globalThis.fetch = () => Promise.reject(new Error('no network'))
  const { serverStep } = await import('${servers}')
  try {
    await serverStep('prometheus').install((text) => console.log(text))
  } catch (error) {
    console.log(error.message)
  }`

/** A Debian whose package of Prometheus has this version, and a Go that only tells of itself. */
function install(t: ExecutionContext, version: string) {
  const home = mkdtempSync(join(tmpdir(), 'farm-servers-'))
  t.teardown(() => rmSync(home, { recursive: true }))
  const program = `#!/bin/sh\\necho "prometheus, version ${version} (branch: debian)"\\n`
  const fakes = {
    'apt-get': ': > prometheus_amd64.deb',
    'apt-cache': 'exit 0',
    'dpkg-deb': `mkdir -p package/usr/bin; for name in prometheus promtool; do printf '${program}' > package/usr/bin/$name; chmod +x package/usr/bin/$name; done`,
    go: 'case $1 in version) echo go version go1.99.0 ;; *) echo go: fetching; echo a/package; exit 1 ;; esac',
  }
  for (const [name, text] of Object.entries(fakes)) {
    writeFileSync(join(home, name), `#!/bin/sh\n${text}\n`)
    chmodSync(join(home, name), 0o755)
  }
  const env = { PATH: `${home}:/usr/bin:/bin`, HOME: home, XDG_CACHE_HOME: home }
  const args = ['--input-type=module', '-e', script]
  const { stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  return { stdout, stderr, bin: join(home, 'farm', 'bin') }
}

const onLinux = process.platform === 'linux' ? test : test.skip

onLinux('the system’s Prometheus is taken where none can be downloaded', (t) => {
  const { stderr, bin } = install(t, '2.42.0+ds')
  t.is(
    stderr,
    "Prometheus 3.11.0 with promtool cannot be downloaded (no network); taking the system's package\n",
  )
  t.deepEqual(readdirSync(bin), ['prometheus', 'promtool'])
})

onLinux('a Prometheus that is too old is not taken, and a build tells how far it is', (t) => {
  const { stdout, stderr, bin } = install(t, '2.24.1+ds')
  t.regex(stderr, /cannot be downloaded \(no network\); building it$/m)
  t.regex(stdout, /^downloading\n/)
  t.regex(stdout, /could neither be downloaded nor built/)
  t.false(existsSync(join(bin, 'prometheus')))
  t.deepEqual(readdirSync(bin), [])
})
