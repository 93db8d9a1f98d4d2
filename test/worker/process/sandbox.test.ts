import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { scratchFolder } from '../../../worker/files/scratch.ts'
import { createSandbox, type Fence, type Limits } from '../../../worker/process/sandbox.ts'
import { sandbox, workOf } from '../encode/film-of.ts'

const limits: Limits = { memoryBytes: 2 ** 31, cpuSeconds: 5, fileBytes: 10_000 }
const shell = (script: string, more: Partial<Fence> = {}) => ({
  program: 'sh',
  args: ['-c', script],
  fence: { read: [], write: [], limits, ...more },
  timeoutMs: 10_000,
})
const isFull = sandbox.state.level === 'bwrap'
/** There is no namespace to test without a working bwrap; `farm doctor` reports it too. */
const whenFull = isFull ? test : test.skip

/** Not every container can give a /proc. */
const givesProc = isFull && (await sandbox.run(shell('true', { proc: true }))).exitCode === 0
const whenProc = givesProc ? test : test.skip

whenFull('a fenced program sees only its input and the system on disk', async (t) => {
  const { dir } = await workOf(t)
  const input = join(dir, 'input')
  await writeFile(input, 'given')
  await writeFile(join(dir, 'other'), 'secret')
  const ended = await sandbox.run(
    shell(`cat ${input}; cat ${dir}/other /etc/passwd /proc/self/environ`, { read: [input] }),
  )
  t.is(ended.stdout, 'given')
  t.is(ended.stderrTail.match(/No such file/g)?.length, 3)
})

whenFull('a fenced program writes to its output only', async (t) => {
  const { dir } = await workOf(t)
  const out = await scratchFolder(dir, 'out')
  const script = `echo yes > ${out}/file; echo no > /usr/no; echo no > ${dir}/no`
  const ended = await sandbox.run(shell(script, { write: [out] }))
  t.is(await readFile(join(out, 'file'), 'utf8'), 'yes\n')
  t.regex(ended.stderrTail, /\/usr\/no: Read-only file system/)
  // Files beside its output went to a disk of its own.
  await t.throwsAsync(readFile(join(dir, 'no')), { code: 'ENOENT' })
})

whenFull('a fenced program reaches no network, not even this machine', async (t) => {
  let calls = 0
  const server = createServer(() => {
    calls += 1
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close())
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const args = ['-v', 'error', '-i', `http://127.0.0.1:${port}/x`, '-f', 'null', '-']
  const run = { program: 'ffmpeg', args, fence: { read: [], write: [], limits }, timeoutMs: 10_000 }
  t.not((await sandbox.run(run)).exitCode, 0)
  t.is(calls, 0)
})

whenFull('the environment of the worker is not handed in', async (t) => {
  process.env.FARM_TEST_SECRET = 'hush'
  t.teardown(() => {
    delete process.env.FARM_TEST_SECRET
  })
  const ended = await sandbox.run(shell('env'))
  t.false(ended.stdout.includes('hush'))
})

test('a program never ending, eating memory or filling the disk is stopped', async (t) => {
  const { dir } = await workOf(t)
  const slow = await sandbox.run({ ...shell('sleep 20'), timeoutMs: 200 })
  t.true(slow.timedOut)
  t.not(slow.exitCode, 0)
  if (sandbox.state.level === 'none') return
  const busy = { ...limits, cpuSeconds: 1 }
  const spin = shell('while :; do :; done')
  t.is((await sandbox.run({ ...spin, fence: { ...spin.fence, limits: busy } })).timedOut, false)
  const out = await scratchFolder(dir, 'out')
  const full = await sandbox.run(shell(`head -c 20000 /dev/zero > ${out}/big`, { write: [out] }))
  t.not(full.exitCode, 0)
  t.is((await readFile(join(out, 'big'))).length, 10_000)
  const small = { ...limits, memoryBytes: 50_000_000 }
  const eat = shell('head -c 200000000 /dev/zero | tail -c 190000000 > /dev/null')
  t.not((await sandbox.run({ ...eat, fence: { ...eat.fence, limits: small } })).exitCode, 0)
})

test('success and failure have one shape, also for a missing program', async (t) => {
  const good = await sandbox.run(shell('echo out; echo err >&2'))
  t.like(good, { exitCode: 0, stdout: 'out\n', stderrTail: 'err\n', timedOut: false })
  t.like(await sandbox.run(shell('exit 3')), { exitCode: 3, timedOut: false })
  t.is((await sandbox.run({ ...shell(''), program: 'no-such-program' })).exitCode, 127)
})

test('an abort ends the program and is the error', async (t) => {
  const abort = new AbortController()
  const running = sandbox.run({ ...shell('sleep 20'), signal: abort.signal })
  setTimeout(() => abort.abort(new Error('cancelled by a test')), 50)
  await t.throwsAsync(running, { message: 'cancelled by a test' })
})

test('FARM_SANDBOX=off says so, and runs programs without a fence', async (t) => {
  const off = await createSandbox('off')
  t.is(off.state.level, 'none')
  t.deepEqual(off.commandLine('true', { read: [], write: [], limits }), ['true'])
})

const withVariable = (t: ExecutionContext, name: string, value: string) => {
  const before = process.env[name]
  process.env[name] = value
  t.teardown(() => {
    if (before === undefined) delete process.env[name]
    else process.env[name] = before
  })
}

for (const fence of [{ proc: true }, { gpu: true }]) {
  const what = Object.keys(fence).join()
  whenProc(`a fence with ${what} shows its own processes and no node setting`, async (t) => {
    withVariable(t, `FARM_TEST_OF_${what.toUpperCase()}`, 'a secret of the node')
    const ended = await sandbox.run(shell('cat /proc/[0-9]*/environ', fence))
    t.regex(ended.stdout, /PATH=/)
    t.false(ended.stdout.includes('a secret of the node'))
  })
}

whenProc('only programs that may use a GPU learn the node’s GPU', async (t) => {
  withVariable(t, 'CUDA_VISIBLE_DEVICES', 'GPU-1')
  const script = 'echo "[$CUDA_VISIBLE_DEVICES]"'
  t.is((await sandbox.run(shell(script, { gpu: true }))).stdout, '[GPU-1]\n')
  t.is((await sandbox.run(shell(script))).stdout, '[]\n')
})
