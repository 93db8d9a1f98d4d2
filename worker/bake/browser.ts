import { constants } from 'node:fs'
import { access, mkdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { FarmError } from '../../core/errors.ts'
import type { Log } from '../../runtime/log.ts'

/** The shell starts in 70 ms, the whole browser in 470. */
const browserNames = [
  'chromium-headless-shell',
  'chrome-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
]

/** Paths of Homebrew's casks, which are not on PATH. */
const browserPaths = [
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

const launchLimitMs = 30_000

/**
 * Flags for the same pixels on every machine: no subpixel colours, no hinting, sRGB, no GPU. They
 * also cut the network: every name resolves to nothing, and the browser's own background services
 * are off.
 */
export const flags = [
  '--disable-lcd-text',
  '--font-render-hinting=none',
  '--force-color-profile=srgb',
  '--disable-gpu',
  '--hide-scrollbars',
  '--blink-settings=imageAnimationPolicy=2',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--proxy-server=127.0.0.1:9',
  '--proxy-bypass-list=<-loopback>',
  '--dns-prefetch-disable',
  '--no-pings',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-sync',
  '--disable-webrtc',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
]

/** Returns the path of Chromium: FARM_CHROMIUM, else the first one on PATH; undefined = none. */
export async function findChromium(
  env: Readonly<Record<string, string | undefined>> = process.env,
): Promise<string | undefined> {
  if (env.FARM_CHROMIUM) return env.FARM_CHROMIUM
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const onPath = browserNames.flatMap((name) => folders.map((folder) => join(folder, name)))
  for (const path of [...onPath, ...browserPaths]) {
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return path
  }
  return undefined
}

/** One warm browser, started when first needed and again after it died. */
export type WarmBrowser = {
  get: () => Promise<Browser>
  /** Ends every process of the browser at once; for a page that hangs. */
  kill: (browser: Browser) => Promise<void>
  close: () => Promise<void>
}

export function createWarmBrowser({ log, dataDir }: { log: Log; dataDir: string }): WarmBrowser {
  let current: Promise<Browser> | undefined
  let isClosed = false
  const pids = new WeakMap<Browser, number>()

  const start = async () => {
    const { browser, pid } = await launch({ log, dataDir })
    pids.set(browser, pid)
    browser.on('disconnected', () => {
      current = undefined
      log.info({ pid }, 'browser ended')
    })
    return browser
  }
  return {
    async get() {
      if (isClosed) throw new FarmError('internal', 'The baker is closed')
      current ??= start().catch((error: unknown) => {
        current = undefined
        throw error
      })
      return current
    },
    async kill(browser) {
      const pid = pids.get(browser)
      if (!pid || !browser.isConnected()) return
      const gone = new Promise((resolve) => browser.once('disconnected', resolve))
      process.kill(pid, 'SIGKILL')
      await gone
    },
    async close() {
      isClosed = true
      const browser = await current?.catch(() => undefined)
      await browser?.close()
    },
  }
}

async function launch({ log, dataDir }: { log: Log; dataDir: string }) {
  const executablePath = await findChromium()
  if (!executablePath) {
    throw new FarmError('internal', 'Baking needs Chromium on PATH or in FARM_CHROMIUM. Got none')
  }
  const home = join(dataDir, 'browser')
  await mkdir(home, { recursive: true })
  const options = {
    executablePath,
    args: flags,
    env: { PATH: process.env.PATH ?? '', HOME: home, LANG: 'C.UTF-8', TZ: 'UTC' },
    timeout: launchLimitMs,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  }
  // Chromium's own sandbox does not start as root, nor without user namespaces.
  const isRoot = process.getuid?.() === 0
  const browser = await chromium
    .launch({ ...options, chromiumSandbox: !isRoot })
    .catch((error: unknown) => {
      if (isRoot) throw error
      log.warn({ err: error }, "Chromium's sandbox does not start here; going on without it")
      return chromium.launch({ ...options, chromiumSandbox: false })
    })
  const pid = await browserPid(browser)
  log.info({ path: executablePath, version: browser.version(), pid }, 'browser started')
  return { browser, pid }
}

async function browserPid(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const pid = processInfo.find(({ type }) => type === 'browser')?.id
  if (!pid) throw new FarmError('internal', 'The browser does not tell its process id')
  return pid
}
