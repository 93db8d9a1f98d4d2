import test from 'ava'
import type { Browser, BrowserContextOptions } from 'playwright-core'
import type { ApiConfig } from '../../api/config.ts'
import { openBrowser, openTab, signIn, sizes } from './open-browser.ts'
import { openSite, type Site } from './site.ts'

/** A gateway with the built pages and a browser, for all tests of a file. */
export type Stage = ReturnType<typeof stageOfFile>
export type Customer = Awaited<ReturnType<Site['user']>>['customer']
export type SignsIn = Awaited<ReturnType<Site['user']>>['signsIn']

type Options = BrowserContextOptions & {
  /** Script that runs in every page before its own. */
  readonly script?: string
}

/** Starts a gateway and a browser before the tests of the file, and ends them after the last. */
export function stageOfFile(changes: Partial<ApiConfig> = {}) {
  let site: Site | undefined
  let browser: Browser | undefined
  test.serial.before(async () => {
    site = await openSite(changes)
    browser = await openBrowser()
  })
  test.after.always(async () => {
    await browser?.close()
    await site?.gateway.stop()
  })
  return {
    get site(): Site {
      return site ?? tooEarly()
    },
    get browser(): Browser {
      return browser ?? tooEarly()
    },
    /** Opens a tab of a new account's user. */
    async newcomer(options: Options = {}) {
      const user = await this.site.user()
      return { ...user, ...(await this.signedIn(user, options)) }
    },
    /** Opens a tab of a user. */
    async signedIn(
      { signsIn }: { readonly signsIn: SignsIn },
      { script, ...options }: Options = {},
    ) {
      const context = await this.browser.newContext({ viewport: sizes.desktop, ...options })
      if (script !== undefined) await context.addInitScript(script)
      const tab = await openTab(context)
      await signIn(tab, signsIn)
      return { ...{ context, tab }, ...tab, close: () => context.close() }
    },
  }
}

function tooEarly(): never {
  throw new Error('The stage is there once the tests of the file begin')
}

/** Sends a request that must be done. @throws Error with the farm's own answer */
export function sender({ post }: Pick<Customer, 'post'>) {
  return async (path: string, body: object) => {
    const reply = await post(path, body)
    if (reply.statusCode >= 300) throw new Error(reply.body)
    return reply.json()
  }
}

/** One of everything that an account has, and the address of each. */
export async function addOneOfEverything(
  customer: Pick<Customer, 'post'>,
  {
    payload,
    items,
    name = 'Invitation',
  }: { payload: object; items: readonly object[]; name?: string },
) {
  const send = sender(customer)
  const template: { id: string } = await send('/api/templates', { name, payload })
  const job: { jobId: string } = await send('/api/render/api-key', { payload })
  const bulk: { bulkId: string } = await send('/api/render/bulk/api-key', {
    ...{ payload, name: 'Guests', items },
  })
  const webhook: { id: string } = await send('/api/webhooks', {
    ...{ url: 'https://example.com/hook', description: name, events: ['render.failed'] },
  })
  return {
    overview: '/',
    jobs: '/jobs',
    job: `/jobs/${job.jobId}`,
    bulks: '/bulks',
    bulk: `/bulks/${bulk.bulkId}`,
    'new-bulk': `/bulks/new?template=${template.id}`,
    templates: '/templates',
    template: `/templates/${template.id}`,
    webhooks: '/webhooks',
    webhook: `/webhooks/${webhook.id}`,
    keys: '/keys',
    credits: '/credits',
    settings: '/settings',
    nowhere: '/no/such/page',
  } as const
}
