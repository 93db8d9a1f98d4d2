import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { createUsageReader } from '../../runtime/machine-usage.ts'

const meminfo = 'MemTotal:       8388608 kB\nMemFree: 1 kB\nMemAvailable:   2097152 kB'
const inGroup = {
  '/proc/self/cgroup': '0::/a/pod',
  '/proc/self/mountinfo':
    '30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate',
}
const group = '/sys/fs/cgroup/a/pod'
const gb = 2 ** 30

/** A machine of these files, whose clock and processor the test moves. */
function machine(t: ExecutionContext, files: Readonly<Record<string, string>>) {
  const root = mkdtempSync(join(tmpdir(), 'farm-test-'))
  t.teardown(() => rmSync(root, { recursive: true }))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), `${text}\n`)
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  const state = { now: 0, busy: 0, all: 0 }
  const given = { now: () => state.now, spentByMachine: () => ({ ...state }) }
  return { state, write, read: createUsageReader({ dir: root, root, ...given }) }
}

test('a machine tells its processor’s share since the last reading', async (t) => {
  const { state, read } = machine(t, { '/proc/meminfo': meminfo })
  Object.assign(state, { now: 5_000, busy: 30, all: 40 })
  const first = await read()
  t.like(first, { cpu: 0.75, memoryMb: 8192, memoryUsedMb: 6144 })
  t.true(first.diskMb > 0)
  t.true(first.diskUsedMb > 0 && first.diskUsedMb <= first.diskMb)
  Object.assign(state, { now: 10_000, busy: 40, all: 140 })
  t.is((await read()).cpu, 0.1)
})

test('readings shortly one after the other are the same', async (t) => {
  const { state, read } = machine(t, { '/proc/meminfo': meminfo })
  Object.assign(state, { now: 5_000, busy: 1, all: 2 })
  const first = await read()
  Object.assign(state, { now: 6_000, busy: 2, all: 3 })
  t.is(await read(), first)
})

test('a container’s limits count where it has some', async (t) => {
  const files = {
    ...{ ...inGroup, '/proc/meminfo': meminfo, [`${group}/cpu.max`]: '50000 100000' },
    [`${group}/cpu.stat`]: 'usage_usec 1000000\nuser_usec 1',
    ...{ [`${group}/memory.max`]: String(2 * gb), [`${group}/memory.current`]: String(1.5 * gb) },
    [`${group}/memory.stat`]: `anon 5\ninactive_file ${0.5 * gb}`,
  }
  const { state, write, read } = machine(t, files)
  // Half a core for 4 s may use 2 s; it used one.
  state.now = 4_000
  write(`${group}/cpu.stat`, 'usage_usec 2000000')
  t.like(await read(), { cpu: 0.5, memoryMb: 2048, memoryUsedMb: 1024 })
})

test('a limit above the container’s own group counts, too', async (t) => {
  const files = {
    ...{ ...inGroup, '/proc/meminfo': meminfo, [`${group}/memory.max`]: 'max' },
    ...{ '/sys/fs/cgroup/a/memory.max': String(gb), '/sys/fs/cgroup/a/memory.current': '1048576' },
  }
  t.like(await machine(t, files).read(), { memoryMb: 1024, memoryUsedMb: 1 })
})
