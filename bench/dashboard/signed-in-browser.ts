import { execFile } from 'node:child_process'
import { mkdtemp, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { hashPassword } from '../../api/account/password.ts'
import { freePorts } from '../../infra/local/ports.ts'
import { createUser } from '../../store/db/accounts/create-user.ts'
import { findChromium } from '../../worker/bake/browser.ts'
import type { Customer, Stage } from '../api/stage.ts'

const password = 'correct horse battery'
const email = 'ada@example.com'

/** A browser that is signed in to the dashboard, and that Lighthouse can use too. */
export type SignedIn = {
  readonly browser: Browser
  readonly context: BrowserContext
  readonly page: Page
  readonly origin: string
  /** Measures a page as Lighthouse's mobile form does. */
  lighthouse(path: string): Promise<Verdict>
  close(): Promise<void>
}

/** Scores from 0 to 100, times in ms. */
export type Verdict = {
  readonly performance: number
  readonly accessibility: number
  readonly bestPractices: number
  readonly lcp: number
  readonly tbt: number
  /** Lighthouse's own measure of the machine's speed. */
  readonly benchmarkIndex: number
}

type Report = {
  readonly categories: Readonly<Record<string, { readonly score: number }>>
  readonly audits: Readonly<Record<string, { readonly numericValue: number }>>
  readonly environment: { readonly benchmarkIndex: number }
}

/** Opens the dashboard of the stage's first api in Chromium and signs a user of the account in. */
export async function openSignedIn(stage: Stage, customer: Customer): Promise<SignedIn> {
  const origin = stage.addresses[0] ?? ''
  const names = { firstName: 'Ada', lastName: 'Lovelace' }
  const stored = { email, password: await hashPassword(password), ...names }
  await createUser(stage.db, { accountId: customer.accountId, ...stored })
  const executablePath = await findChromium()
  if (executablePath === undefined) throw new Error('the measurement needs Chromium')
  const [port = 0] = await freePorts(1)
  const args = ['--no-sandbox', `--remote-debugging-port=${port}`]
  const started = await chromium.launch({ executablePath, args })
  const browser = await chromium.connectOverCDP(`http://127.0.0.1:${port}`)
  const context = browser.contexts()[0] ?? (await browser.newContext())
  const page = await context.newPage()
  await page.goto(origin)
  await page.fill('input[name=email]', email)
  await page.fill('input[name=password]', password)
  await page.click('button[type=submit]')
  await page.waitForSelector('.page-head')
  const folder = await mkdtemp(join(tmpdir(), 'farm-lighthouse-'))
  return {
    ...{ browser, context, page, origin },
    lighthouse: async (path) => {
      const file = join(folder, 'report.json')
      await promisify(execFile)(
        'npx',
        [
          ...['--yes', 'lighthouse@13.5.0', origin + path, '--quiet', '--disable-storage-reset'],
          ...[`--port=${port}`, '--output=json', `--output-path=${file}`],
          '--only-categories=performance,accessibility,best-practices',
        ],
        { env: { ...process.env, CHROME_PATH: executablePath } },
      )
      return verdictOf(JSON.parse(await readFile(file, 'utf8')) as Report)
    },
    close: async () => {
      await browser.close()
      await started.close()
    },
  }
}

function verdictOf({ categories, audits, environment }: Report): Verdict {
  const score = (name: string) => Math.round((categories[name]?.score ?? 0) * 100)
  const value = (name: string) => audits[name]?.numericValue ?? Number.NaN
  return {
    performance: score('performance'),
    accessibility: score('accessibility'),
    bestPractices: score('best-practices'),
    lcp: value('largest-contentful-paint'),
    tbt: value('total-blocking-time'),
    benchmarkIndex: environment.benchmarkIndex,
  }
}
