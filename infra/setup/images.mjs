import { onPath } from './cache.mjs'
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

/** Returns the steps that install them; undefined for what is there. */
export function imagesSteps() {
  const missing = Object.entries(packages).filter(([program]) => !onPath(program))
  if (missing.length === 0) return []
  const names = missing.map(([, name]) => name)
  return [
    {
      name: names.join(', '),
      how: "from the system's packages",
      install: () => installPrograms([...names, ...networks]),
    },
  ]
}
