import { execFileSync } from 'node:child_process'
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { countCores } from '../../runtime/cores.ts'

const v2 = '30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate'
const v1 = (root = '/') =>
  `33 28 0:30 ${root} /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:14 - cgroup cgroup rw,cpu,cpuacct`

/** Counts on a machine of 16 cores that has these files. */
function countWith(t: ExecutionContext, files: Record<string, string>) {
  const root = mkdtempSync(join(tmpdir(), 'farm-test-'))
  t.teardown(() => rmSync(root, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), `${text}\n`)
  }
  return countCores({ root, allowed: 16, machine: 16 })
}

const inV2 = (group: string, files: Record<string, string>) => ({
  '/proc/self/cgroup': `0::${group}`,
  '/proc/self/mountinfo': v2,
  ...files,
})
const inV1 = (group: string, files: Record<string, string>, root?: string) => ({
  '/proc/self/cgroup': `5:memory:${group}\n4:cpu,cpuacct:${group}\n1:name=systemd:/x`,
  '/proc/self/mountinfo': v1(root),
  ...files,
})
const cfs = (folder: string, quota: number, period = 100_000) => ({
  [`${folder}/cpu.cfs_quota_us`]: String(quota),
  [`${folder}/cpu.cfs_period_us`]: String(period),
})

test('the process’s allowed cores count when there is no quota', (t) => {
  const all = { cores: 16, machine: 16, limit: undefined }
  t.deepEqual(countWith(t, {}), all)
  t.deepEqual(countWith(t, inV2('/', { '/sys/fs/cgroup/cpu.max': 'max 100000' })), all)
  t.deepEqual(countWith(t, inV1('/', cfs('/sys/fs/cgroup/cpu,cpuacct', -1))), all)
  t.deepEqual(countWith(t, inV2('/', { '/sys/fs/cgroup/cpu.max': '3200000 100000' })), all)
  t.deepEqual(countCores({ root: '/nowhere', allowed: 3, machine: 16 }), {
    ...{ cores: 3, machine: 16, limit: 'its set of cores' },
  })
})

test('a control group’s quota counts whole cores, and at least one', (t) => {
  for (const [quota, cores] of [
    ['400000 100000', 4],
    ['250000 100000', 2],
    ['50000 100000', 1],
    ['30000 10000', 3],
  ] as const) {
    const counted = countWith(t, inV2('/', { '/sys/fs/cgroup/cpu.max': quota }))
    t.deepEqual(counted, { cores, machine: 16, limit: '/sys/fs/cgroup/cpu.max' }, quota)
  }
  const folder = '/sys/fs/cgroup/cpu,cpuacct'
  t.deepEqual(countWith(t, inV1('/', cfs(folder, 350_000))), {
    ...{ cores: 3, machine: 16, limit: `${folder}/cpu.cfs_quota_us` },
  })
})

test('the least of a group and those above it counts', (t) => {
  const files = {
    '/sys/fs/cgroup/kubepods/cpu.max': '800000 100000',
    '/sys/fs/cgroup/kubepods/pod1/cpu.max': '200000 100000',
    '/sys/fs/cgroup/kubepods/pod1/worker/cpu.max': 'max 100000',
  }
  t.is(countWith(t, inV2('/kubepods/pod1/worker', files)).cores, 2)
  t.is(countWith(t, inV2('/kubepods', files)).cores, 8)
})

test('a container that sees the machine’s group name reads its own mount', (t) => {
  const folder = '/sys/fs/cgroup/cpu,cpuacct'
  t.is(countWith(t, inV1('/docker/abc', cfs(folder, 200_000), '/docker/abc')).cores, 2)
  t.is(countWith(t, inV1('/', cfs(folder, 200_000), '/docker/abc')).cores, 2)
  t.is(countWith(t, inV1('/docker/abc', cfs(folder, 200_000))).cores, 2)
})

const groups = '/sys/fs/cgroup/cpu'
const mayLimit = isWritable(groups) ? test : test.skip

mayLimit('a process in a real control group with a quota counts what it may use', (t) => {
  const group = join(groups, `farm-test-${process.pid}`)
  mkdirSync(group)
  t.teardown(() => rmdirSync(group))
  writeFileSync(join(group, 'cpu.cfs_quota_us'), '100000')
  const counted = `import { countCores } from './runtime/cores.ts'; console.log(JSON.stringify(countCores({ allowed: 16, machine: 16 })))`
  const script = 'echo $$ > "$1/cgroup.procs" && exec "$2" --input-type=module -e "$3"'
  const told = execFileSync('sh', ['-c', script, 'sh', group, process.execPath, counted])
  t.deepEqual(JSON.parse(told.toString()), {
    ...{ cores: 1, machine: 16, limit: join(group, 'cpu.cfs_quota_us') },
  })
})

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
