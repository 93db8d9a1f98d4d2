import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Browser, chromium } from 'playwright-core'
import { FarmError } from '../../../core/errors.ts'
import type { Limits, Sandbox } from '../../process/sandbox.ts'
import { findChromium, flags } from '../browser.ts'

/**
 * Flags that make frames one by one, on request, with no animation on a thread of its own; scripts
 * have little memory.
 */
const codeFlags = [
  '--enable-begin-frame-control',
  '--run-all-compositor-stages-before-draw',
  '--disable-new-content-rendering-timeout',
  '--disable-threaded-animation',
  '--disable-threaded-scrolling',
  '--disable-checker-imaging',
  '--disable-image-animation-resync',
  '--js-flags=--max-old-space-size=512',
]

const launchLimitMs = 30_000
/**
 * Killed processes are gone in milliseconds; a process that the system holds is not waited for
 * longer.
 */
const goneLimitMs = 5_000
/**
 * Hard limits for growth between two checks; a frame's pixels are a file in memory. The deadline
 * limits the time (moving.ts).
 */
const limits: Limits = {
  memoryBytes: 2 * 2 ** 30,
  cpuSeconds: 600,
  fileBytes: 512 * 2 ** 20,
  processes: 512,
}

/** Browser for one element, which ends with it. */
export type OwnBrowser = {
  readonly browser: Browser
  /** Id of its first process, which leads their group. */
  readonly pid: number
  /** Kills every process of it at once. Always resolves, within seconds. */
  kill: () => Promise<void>
}

/**
 * Starts the browser. Inside `sandbox` it has no network, and of the disk only programs and fonts.
 */
export async function openOwnBrowser({
  dataDir,
  sandbox,
}: {
  dataDir: string
  sandbox: Sandbox | undefined
}): Promise<OwnBrowser> {
  const program = await findChromium()
  if (!program) {
    throw new FarmError('internal', 'Baking needs Chromium on PATH or in FARM_CHROMIUM. Got none')
  }
  const home = resolve(dataDir, 'browser')
  await mkdir(home, { recursive: true })
  const script = join(home, `own-${randomUUID()}`)
  await writeFile(script, await launchScript({ program, home, sandbox }), { mode: 0o700 })
  const removeScript = () => Promise.all([rm(script), rm(`${script}.pid`, { force: true })])
  const options = {
    executablePath: script,
    args: [...flags, ...codeFlags],
    env: { PATH: process.env.PATH ?? '' },
    chromiumSandbox: false,
    timeout: launchLimitMs,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  }
  try {
    const browser = await chromium.launch(options)
    const pid = Number(await readFile(`${script}.pid`, 'utf8'))
    return { browser, pid, kill: () => endGroup(browser, pid) }
  } finally {
    await removeScript()
  }
}

/**
 * Kills the browser's process group without asking the browser, which may be under a stranger's
 * control. Playwright starts it as a group leader, and bwrap kills everything inside it too.
 */
async function endGroup(browser: Browser, pid: number): Promise<void> {
  const gone = browser.isConnected()
    ? new Promise<void>((done) => browser.once('disconnected', () => done()))
    : undefined
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // All of them had ended by themselves.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
  const waited = new AbortController()
  const { signal } = waited
  await Promise.race([gone, delay(goneLimitMs, undefined, { signal })])
  waited.abort()
}

/** Settings of fontconfig, and of the script that starts Chromium on some systems. */
const settingsFolders = ['/etc/fonts', '/etc/chromium.d']

/**
 * Writes the script that starts the browser: the shell execs the fence, and the fence the browser.
 */
async function launchScript({
  program,
  home,
  sandbox,
}: {
  program: string
  home: string
  sandbox: Sandbox | undefined
}): Promise<string> {
  const isAlone = sandbox?.state.level === 'bwrap'
  const installed = await realpath(program)
  const folders = [
    ...settingsFolders,
    ...(installed.startsWith('/usr/') ? [] : [dirname(installed)]),
  ]
  const read = folders.filter((path) => existsSync(path))
  const argv = [
    ...(sandbox?.commandLine('env', { read, write: [], proc: true, limits }) ?? ['env']),
    ...[`HOME=${isAlone ? '/tmp' : home}`, 'LANG=C.UTF-8', 'TZ=UTC'],
    isAlone ? installed : program,
  ]
  // Its profile is in memory as well; of two equal switches the last one wins.
  const last = isAlone ? ' --user-data-dir=/tmp/profile' : ''
  const command = `exec ${argv.map(quoted).join(' ')} "$@"${last}`
  return ['#!/bin/sh', 'echo $$ > "$0.pid"', command, ''].join('\n')
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`
