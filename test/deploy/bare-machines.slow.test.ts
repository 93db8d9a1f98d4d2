import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { imageName } from '../../infra/image/build.ts'
import { engineEnv } from '../../infra/image/engine.ts'
import { findProgram } from '../../infra/setup/cache.mjs'
import { shellBlocks } from './installation-page.ts'
import { podman, whyNoImages } from './podman.ts'

// deploy/systemd by the words of docs/installation.md, on a machine that is a container with systemd:
// `npm run test:systemd`. The repository and the servers' cache are what the page's first block brings.

const why = whyNoImages()
if (why !== undefined) console.log(`the units are not run: ${why}`)
const withSystemd = why === undefined ? test : test.skip

const root = fileURLToPath(new URL('../..', import.meta.url))
const machine = 'localhost/farm-test-systemd'

/** Stands for the page's first block: the set-up on a machine that reaches registries. */
const before = `set -eu
until systemctl is-system-running --wait > /dev/null; do sleep 1; done
mkdir -p /opt/farm/ffmpeg ~/.cache/farm/bin
cp /usr/local/bin/ffmpeg /usr/local/bin/ffprobe /opt/farm/ffmpeg/
cp /servers/temporal ~/.cache/farm/bin/
cd
`
/** The fence must allow what a node with custom code needs; systemd ends all within the units' time. */
const after = `test -s first.mp4
sed 's/"html":"first"/"html":"second","customCode":{"css":"p{color:red}","animationDuration":1}/' first.json > second.json
FARM_URL=http://control.internal:8080 farm render second.json -o second.mp4
test -s second.mp4
systemctl stop farm-worker farm@control
[ "$(systemctl show farm-worker farm@control -p Result --value | sort -u | grep -v '^$')" = success ]
echo the page holds
`

withSystemd('the first installation on bare machines renders a film', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'farm-test-systemd-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const worker = `WORKER=${imageName('worker')}`
  const context = fileURLToPath(new URL('systemd', import.meta.url))
  podman(
    'build',
    '--pull-never',
    '--network=host',
    '--build-arg',
    worker,
    '--tag',
    machine,
    context,
  )
  const [, ...blocks] = shellBlocks('Bare machines')
  t.is(blocks.length, 5)
  const name = `farm-test-systemd-${process.pid}`
  const outside = `set -eu
ip link set lo up
trap 'podman rm --force --time 0 ${name} > /dev/null' EXIT
podman run --detach --name ${name} --network host --add-host control.internal:127.0.0.1 --privileged \\
  --systemd always --tmpfs /run --tmpfs /run/lock --volume '${root}:/opt/farm:O' \\
  --volume '${dirname(String(findProgram('temporal')))}:/servers:ro' ${machine} > /dev/null
podman exec ${name} bash -c "$PAGE" || { podman exec ${name} journalctl --no-pager -n 80 >&2; exit 1; }
`
  const { status, stdout, stderr } = spawnSync('unshare', ['-mn', 'bash', '-c', outside], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, ...engineEnv(), PAGE: [before, ...blocks, after].join('') },
  })
  t.is(status, 0, `${stdout}\n${stderr}`)
  t.true(stdout.endsWith('the page holds\n'))
})
