import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { engineEnv } from '../../infra/image/engine.ts'
import { findProgram } from '../../infra/setup/cache.mjs'
import { podmanCompose } from '../../infra/setup/images.mjs'
import { shellBlocks } from './installation-page.ts'
import { podman, whyNoImages } from './podman.ts'

// deploy/compose.yaml by the words of docs/installation.md, in a network of its own: `npm run test:compose`.

const python = podmanCompose.python()
const why = whyNoImages() ?? (existsSync(python) ? undefined : 'podman-compose is not in the cache')
if (why !== undefined) console.log(`compose.yaml is not run: ${why}`)
const withCompose = why === undefined ? test : test.skip

const deploy = fileURLToPath(new URL('../../deploy', import.meta.url))
const servers = 'localhost/farm-test-servers'

/** Builds the image that stands in for Postgres, Temporal and the store. */
function buildServers(folder: string): void {
  cpSync(new URL('servers', import.meta.url), folder, { recursive: true })
  mkdirSync(join(folder, 'bin'))
  for (const name of ['temporal', 'minio']) {
    cpSync(String(findProgram(name)), join(folder, 'bin', name))
  }
  podman('build', '--pull-never', '--network', 'host', '--tag', servers, folder)
}

/** Frame around the page's words: the page's program, and an end that leaves nothing behind. */
const before = `set -eu
ip link set lo up
podman-compose() { "$PYTHON" -m podman_compose "$@"; }
end() {
  podman-compose -f deploy/compose.yaml logs 2>&1 | tail -60 >&2
  podman-compose -f deploy/compose.yaml down --volumes >&2
}
trap end EXIT
`
/** A new version: all roles end, and find their data again. */
const upgrade = `test -s first.mp4
compose down
`
const again = `until curl -fs -o /dev/null http://localhost:8080/readyz; do sleep 2; done
./farm render first.json -o again.mp4
test -s again.mp4
`
/** A worker calls no other service than its scheduler and the store. */
const after = `reaches() { podman exec farm_worker_1 node -e '
  const [host, port] = process.argv.slice(1)
  require("net").connect({ host, port, timeout: 3000 })
    .on("connect", () => process.exit(0)).on("timeout", () => process.exit(1)).on("error", () => process.exit(1))
  ' "$@"; }
reaches scheduler 7070
reaches store 9000
if reaches postgres 5432 || reaches temporal 7233; then
  echo 'the worker reaches the control plane' >&2
  exit 1
fi
echo the page holds
`

withCompose('the first installation by compose renders a film', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'farm-test-compose-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  mkdirSync(join(folder, 'servers'))
  buildServers(join(folder, 'servers'))
  const isSecret = (file: string) => file.endsWith('.env')
  cpSync(deploy, join(folder, 'deploy'), { recursive: true, filter: (file) => !isSecret(file) })
  const farm = fileURLToPath(new URL('../../farm', import.meta.url))
  writeFileSync(join(folder, 'farm'), `#!/bin/sh\nexec '${farm}' "$@"\n`, { mode: 0o755 })
  // Docker's is left out.
  const [, settings = '', start = '', film = ''] = shellBlocks('Compose')
  const script = [before, settings, start, film, upgrade, start, again, after].join('')
  const images = { POSTGRES_IMAGE: servers, TEMPORAL_IMAGE: servers, STORE_IMAGE: servers }
  const { status, stdout, stderr } = spawnSync('unshare', ['-mn', 'bash', '-c', script], {
    cwd: folder,
    encoding: 'utf8',
    env: {
      ...{ ...process.env, ...engineEnv(), ...images, PYTHON: python },
      PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
    },
  })
  t.is(status, 0, `${stdout}\n${stderr}`)
  t.true(stdout.endsWith('the page holds\n'))
})
