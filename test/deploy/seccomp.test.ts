import { readFileSync } from 'node:fs'
import test from 'ava'
import { type Profile, workerProfile } from '../../infra/seccomp/profile.ts'

const read = (name: string): Profile =>
  JSON.parse(readFileSync(new URL(`../../deploy/seccomp/${name}`, import.meta.url), 'utf8'))
const base = read('containerd-default.json')
const shipped = read('farm-worker.json')

/** Names that a profile allows whatever their arguments are. */
function allowed({ syscalls }: Profile): Set<string> {
  const rules = syscalls.filter(
    ({ action, args = [] }) => action === 'SCMP_ACT_ALLOW' && args.length === 0,
  )
  return new Set(rules.flatMap(({ names }) => names))
}

test("the workers' profile is containerd's default and exactly six names", (t) => {
  t.deepEqual(shipped, workerProfile(base))
  t.is(shipped.defaultAction, 'SCMP_ACT_ERRNO')
  const before = allowed(base)
  const more = [...allowed(shipped)].filter((name) => !before.has(name)).sort()
  t.deepEqual(more, ['chroot', 'clone', 'mount', 'pivot_root', 'umount2', 'unshare'])
  t.true(before.size > 300)
})

test("the workers' profile still refuses what reaches the kernel itself", (t) => {
  const names = allowed(shipped)
  const refused = [
    'bpf',
    'init_module',
    'kexec_load',
    'keyctl',
    'ptrace',
    'reboot',
    'setns',
    'swapon',
  ]
  t.deepEqual(
    refused.filter((name) => names.has(name)),
    // containerd allows ptrace since Linux 4.8 checks it against the profile.
    ['ptrace'],
  )
})
