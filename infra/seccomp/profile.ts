/** Seccomp profile of the OCI runtime specification, as containerd and Kubernetes read it. */
export type Profile = {
  readonly defaultAction: string
  readonly architectures: readonly string[]
  readonly syscalls: readonly Rule[]
}

type Rule = {
  readonly names: readonly string[]
  readonly action: string
  readonly args?: readonly object[]
}

/**
 * System calls that the fence needs beyond containerd's default (decision 0139). bwrap makes
 * namespaces and mounts; Chromium's own sandbox also calls chroot.
 */
const fenceCalls = ['chroot', 'clone', 'mount', 'pivot_root', 'umount2', 'unshare']

/** Returns the profile of workers: containerd's default, and the fence's calls with any arguments. */
export function workerProfile(base: Profile): Profile {
  const rule = { names: fenceCalls, action: 'SCMP_ACT_ALLOW' }
  return { ...base, syscalls: [...base.syscalls, rule] }
}
