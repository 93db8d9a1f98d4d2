import { fileURLToPath } from 'node:url'
import { onPath } from './cache.mjs'
import { pythonTool } from './python-tool.mjs'
import { installPrograms } from './system.mjs'

/** Programs that build, run and check images, and Debian's packages of them. */
const packages = {
  buildah: 'buildah',
  podman: 'podman',
  // crun, which podman prefers, refuses machines with both kinds of control groups.
  runc: 'runc',
  mmdebstrap: 'mmdebstrap',
  newuidmap: 'uidmap',
  // It and the next two join containers of one network by their names.
  iptables: 'iptables',
}
const networks = ['netavark', 'aardvark-dns']

/** Runs deploy/compose.yaml with podman. */
export const podmanCompose = pythonTool({
  name: 'podman-compose',
  version: '1.6.0',
  requirements: fileURLToPath(new URL('podman-compose.txt', import.meta.url)),
  probe: ['-m', 'podman_compose', '--version'],
})

function programsStep({ withCompose }) {
  const missing = Object.entries(packages).filter(([program]) => !onPath(program))
  const lacksVenv = withCompose && podmanCompose.lacksVenv()
  if (missing.length === 0 && !lacksVenv) return undefined
  const names = missing.map(([, name]) => name)
  if (lacksVenv) names.push('python3-venv')
  return {
    key: 'programs',
    name: names.join(', '),
    how: "from the system's packages",
    install: () => installPrograms([...names, ...networks]),
  }
}

/** Returns the steps that bring them; undefined for what is there. `withCompose`: podman-compose, too. */
export function imagesSteps({ withCompose = false } = {}) {
  return [programsStep({ withCompose }), withCompose ? podmanCompose.step() : undefined]
}
