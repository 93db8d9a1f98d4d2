import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Browser, chromium } from 'playwright-core'
import { FarmError } from '../../../core/errors.ts'
import type { Limits, Sandbox } from '../../sandbox.ts'
import { findChromium, flags } from '../browser.ts'

/**
 * Frames are made one by one, when they are asked for, and nothing moves on a thread of its own;
 * scripts have little memory.
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
/** Killed processes are gone in milliseconds; nobody waits longer for one that the system holds. */
const goneLimitMs = 5_000
/**
 * What grows faster than it is watched stops here; a frame's pixels are a file in memory. The clock is
 * the deadline's (moving.ts).
 */
const limits: Limits = {
  memoryBytes: 2 * 2 ** 30,
  cpuSeconds: 600,
  fileBytes: 512 * 2 ** 20,
  processes: 512,
}

/** A browser for one element, which ends with it. */
export type OwnBrowser = {
  readonly browser: Browser
  /** Of its first process, which leads their group. */
  readonly pid: number
  /** Ends every process of it at once, whatever they are doing. Always resolves, within seconds. */
  kill: () => Promise<void>
}

/** Inside `sandbox` it has a network that leads nowhere, and of the disk it has programs and fonts. */
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
 * Nothing is asked of the browser: it may be doing what it was told to by a stranger. Playwright starts
 * it as the leader of a group of processes, and bwrap takes everything in it along.
 */
async function endGroup(browser: Browser, pid: number): Promise<void> {
  const gone = browser.isConnected()
    ? new Promise<void>((done) => browser.once('disconnected', () => done()))
    : undefined
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    // All of them ended by themselves.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
  const waited = new AbortController()
  const { signal } = waited
  await Promise.race([gone, delay(goneLimitMs, undefined, { signal })])
  waited.abort()
}

/** Of fontconfig, and of the script that some systems start Chromium by. */
const settingsFolders = ['/etc/fonts', '/etc/chromium.d']

/** The shell becomes the fence, and the fence the browser. */
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
  const words = [
    ...(sandbox?.commandLine('env', { read, write: [], proc: true, limits }) ?? ['env']),
    ...[`HOME=${isAlone ? '/tmp' : home}`, 'LANG=C.UTF-8', 'TZ=UTC'],
    isAlone ? installed : program,
  ]
  // Its profile is in memory as well; of two equal switches the last one holds.
  const last = isAlone ? ' --user-data-dir=/tmp/profile' : ''
  const command = `exec ${words.map(quoted).join(' ')} "$@"${last}`
  return ['#!/bin/sh', 'echo $$ > "$0.pid"', command, ''].join('\n')
}

const quoted = (word: string) => `'${word.replaceAll("'", `'\\''`)}'`
