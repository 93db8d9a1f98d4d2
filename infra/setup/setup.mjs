// Brings a fresh machine to the point where the farm runs: `node infra/setup/setup.mjs`. `--film`
// waits only for what a film needs, `--test` also for what the tests need. `--images`, `--compose` and
// `--charts` bring only what builds and checks deploy/. Needs only Node 20, since it installs the rest. Announces
// the steps before it; does nothing, and prints nothing, when all is there.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { agentToolsStep } from './agent-tools.mjs'
import { chartSteps } from './charts.mjs'
import { dashboardStep } from './dashboard.mjs'
import { buildInProgress, ffmpegStep } from './ffmpeg.mjs'
import { imagesSteps } from './images.mjs'
import { packagesStep } from './packages.mjs'
import { runSteps } from './run-steps.mjs'
import { schemathesisStep } from './schemathesis.mjs'
import { serverStep } from './servers.mjs'
import { SetupError, say } from './shell.mjs'
import { postgresUserStep, programsStep } from './system.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..')
const oldestNode = 20

/** Steps for deploy/ alone: neither a film nor its tests wait for them. */
function deploymentSteps() {
  return [
    packagesStep(root),
    ...(process.argv.includes('--images') ? imagesSteps() : []),
    ...(process.argv.includes('--compose') ? imagesSteps({ withCompose: true }) : []),
    ...(process.argv.includes('--charts') ? [serverStep('helm'), ...chartSteps()] : []),
  ]
}

async function findSteps({ forTests, isBeside }) {
  const forDeployment = ['--images', '--compose', '--charts']
  if (process.argv.some((arg) => forDeployment.includes(arg)))
    return deploymentSteps().filter((step) => step !== undefined)
  const steps = [
    packagesStep(root),
    programsStep({ forTests }),
    await postgresUserStep(),
    serverStep('temporal'),
    await ffmpegStep({ isBeside }),
    isBeside ? undefined : dashboardStep(root),
    forTests ? serverStep('minio') : undefined,
    forTests ? serverStep('toxiproxy-server') : undefined,
    forTests ? serverStep('prometheus') : undefined,
    forTests ? schemathesisStep() : undefined,
    forTests ? agentToolsStep() : undefined,
  ]
  return steps.filter((step) => step !== undefined)
}

async function setUp() {
  if (Number.parseInt(process.versions.node, 10) < oldestNode) {
    throw new SetupError(
      `Node must be ${oldestNode} or newer. Got ${process.versions.node}; get one from https://nodejs.org.`,
    )
  }
  const isBeside = process.argv.includes('--film')
  const progress = isBeside ? buildInProgress() : undefined
  if (progress) say(`The farm uses the ffmpeg that is there: ${progress}.`)
  const all = await findSteps({ forTests: process.argv.includes('--test'), isBeside })
  const steps = all.filter((step) => !(progress && step.isOwnFfmpeg))
  if (steps.length === 0) return
  say('Setting up, once on this machine. Installing, as far as possible at the same time:')
  for (const { name, how } of steps) say(`  - ${name} (${how})`)
  await runSteps(steps)
}

try {
  await setUp()
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  say(error.message)
  process.exitCode = 1
}
