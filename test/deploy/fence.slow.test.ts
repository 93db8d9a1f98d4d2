import test from 'ava'
import { onPath } from '../../infra/setup/cache.mjs'
import { createSandbox } from '../../worker/process/sandbox.ts'
import { type Container, runInContainer, whyNoRunc } from './runc.ts'

// The matrix of decision 0139: profile, /proc and user namespace against what a worker runs in them.

const browser = onPath('chromium-headless-shell', 'chromium')
const why = whyNoRunc() ?? (onPath('bwrap') ? undefined : 'bwrap is not on PATH')
if (why !== undefined) console.log(`the fence in containers is not tested: ${why}`)
const inContainers = why === undefined ? test : test.skip
const withBrowser = why === undefined && browser ? test : test.skip

/** Name of a case and what it begins with. */
const places = [true, false].flatMap((hasUserNamespace) =>
  [true, false].map((isMasked) => ({ hasUserNamespace, isMasked })),
)
const run = (args: readonly string[], place: Omit<Container, 'args'>) =>
  runInContainer({ ...place, args })
const limits = { memoryBytes: 2 ** 30, cpuSeconds: 10, fileBytes: 2 ** 20 }

/** The command line with which the farm itself begins each fence; `proc`: as custom code needs it. */
async function fence(proc: boolean): Promise<readonly string[]> {
  const sandbox = await createSandbox('require')
  return [...sandbox.commandLine('true', { read: [], write: [], proc, limits })]
}

inContainers("RuntimeDefault refuses the farm's fence, whatever /proc is", async (t) => {
  for (const place of places) {
    const { status, output } = run(await fence(false), {
      ...{ ...place, profile: 'containerd-default.json' },
    })
    t.not(status, 0, JSON.stringify(place))
    t.regex(output, /bwrap: .*(?:Operation not permitted|namespace)/)
  }
})

inContainers("the workers' profile lets the fence begin everywhere", async (t) => {
  for (const place of places) {
    const { status, output } = run(await fence(false), { ...place, profile: 'farm-worker.json' })
    t.is(status, 0, `${JSON.stringify(place)}: ${output}`)
  }
})

inContainers('custom code has its own /proc only where it is unmasked', async (t) => {
  for (const place of places) {
    const { status, output } = run(await fence(true), { ...place, profile: 'farm-worker.json' })
    if (!place.isMasked) t.is(status, 0, `${JSON.stringify(place)}: ${output}`)
    else {
      t.not(status, 0, JSON.stringify(place))
      t.regex(output, /proc/)
    }
  }
})

withBrowser("Chromium's own sandbox works under the workers' profile", (t) => {
  const page = 'data:text/html,<p>painted</p>'
  const args = [String(browser), '--headless', '--disable-gpu', '--dump-dom', page]
  const place = { hasUserNamespace: false, isMasked: false }
  const { status, output } = run(args, { ...place, profile: 'farm-worker.json' })
  t.is(status, 0, output)
  t.regex(output, /<p>painted<\/p>/)
  const refused = run(args, { ...place, profile: 'containerd-default.json' })
  t.not(refused.status, 0)
  t.regex(refused.output, /No usable sandbox/)
})
