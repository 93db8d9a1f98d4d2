import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import test from 'ava'
import { freePorts } from '../../infra/local/ports.ts'
import { startProcess, waitUntilReady } from '../../infra/local/processes.ts'
import { leftAfterAWhile, livingWith } from './living.ts'

const dir = mkdtempSync(join(tmpdir(), 'farm-processes-'))
test.after.always(() => rmSync(dir, { recursive: true }))

const shell = (script: string, logFile: string) => ({
  name: 'the program',
  command: '/bin/sh',
  args: ['-c', script],
  logFile: join(dir, logFile),
})

test('no free port is handed out twice', async (t) => {
  const ports: number[] = []
  for (let n = 0; n < 100; n += 1) ports.push(...(await freePorts(4)))
  t.is(new Set(ports).size, 400)
})

test('a program’s output is in its log, and its exit is reported', async (t) => {
  const running = await startProcess(shell('echo out; echo err >&2; exit 3', 'printed'))
  t.deepEqual(await running.exited, { code: 3, signal: null })
  t.is(readFileSync(running.logFile, 'utf8'), 'out\nerr\n')
})

test('a program that does not exist is an error that names it', async (t) => {
  await t.throwsAsync(
    startProcess({ name: 'Nothing', command: '/no/such', args: [], logFile: join(dir, 'none') }),
    { message: /^Nothing could not be started: .*ENOENT/ },
  )
})

test('stopping ends a program that ignores being asked', async (t) => {
  const script = "trap '' TERM; echo up; while :; do sleep 0.05; done"
  const running = await startProcess({ ...shell(script, 'stubborn'), graceMs: 200 })
  await waitUntilReady(running, {
    probe: async () => {
      if (readFileSync(running.logFile, 'utf8') === '') throw new Error('not yet')
    },
    timeoutMs: 10_000,
  })
  await running.stop()
  t.deepEqual(await running.exited, { code: null, signal: 'SIGKILL' })
})

test('a program that ends early is an error with its log’s end', async (t) => {
  const running = await startProcess(shell('echo the port is taken >&2; exit 7', 'early'))
  const probe = () => Promise.reject(new Error('refused'))
  await t.throwsAsync(waitUntilReady(running, { probe, timeoutMs: 60_000 }), {
    message: /^the program ended \(exit code 7\) before it was ready; .*\nthe port is taken$/s,
  })
})

test('a program that never gets ready is stopped and is an error', async (t) => {
  const running = await startProcess(shell('echo still loading; exec sleep 600', 'never'))
  const probe = () => Promise.reject(new Error('refused'))
  await t.throwsAsync(waitUntilReady(running, { probe, timeoutMs: 100 }), {
    message: /^the program must be ready within 0.1 s and was not; /,
  })
  t.deepEqual(await running.exited, { code: null, signal: 'SIGTERM' })
})

test('a child that ignores being asked does not outlive its killed parent', async (t) => {
  const parentFile = fileURLToPath(new URL('./parent.ts', import.meta.url))
  const parent = spawn(process.execPath, [parentFile, 'stubborn', dir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => parent.kill('SIGKILL'))
  await new Promise((resolve) => parent.stdout.once('data', resolve))
  // Matches the shell; between fork and exec of its `sleep` there are two with its command line.
  t.true(livingWith(`: ${dir}`).length > 0)
  parent.kill('SIGKILL')
  t.deepEqual(await leftAfterAWhile(`: ${dir}`), [])
})
