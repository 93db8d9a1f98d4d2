import { fileURLToPath } from 'node:url'
import { bundleWorkflowCode, DefaultLogger, Runtime, Worker } from '@temporalio/worker'
import test, { type ExecutionContext } from 'ava'
import { workflowBundle } from '../../workflows/bundle.ts'
import * as workflows from '../../workflows/definitions/sandboxed.ts'
import { silent } from '../store/database.ts'
import { forReplay, type RecordedHistory, readHistories, textOf } from './histories.ts'

const histories = await readHistories()

test.before(() => {
  // Refusals are what these tests look at; the SDK would log each.
  Runtime.install({
    logger: new DefaultLogger('ERROR'),
    shutdownSignals: [],
    telemetryOptions: { logging: { filter: 'OFF' } },
  })
})

/** Replays histories against the workflows' code. @returns what refused each, by its name */
async function replay(code: string, recorded: readonly RecordedHistory[]) {
  const given = recorded.map(({ name, history }) => {
    return { workflowId: name, history: forReplay(history) }
  })
  const errors = new Map<string, Error | undefined>()
  const options = { workflowBundle: { code } }
  for await (const { workflowId, error } of Worker.runReplayHistories(options, given)) {
    errors.set(workflowId, error)
  }
  return errors
}

async function currentCode(): Promise<string> {
  return (await workflowBundle(silent)).code
}

let changedCode: Promise<string> | undefined

/** The workflows with a timer that histories lack, see changed-workflows.ts. */
async function codeChanged(how: 'unguarded' | 'patched'): Promise<string> {
  changedCode ??= bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('./changed-workflows.ts', import.meta.url)),
    logger: new DefaultLogger('ERROR'),
  }).then(({ code }) => code)
  return (await changedCode).replaceAll('HOW IT IS CHANGED', how)
}

function allReplay(t: ExecutionContext, errors: ReadonlyMap<string, Error | undefined>) {
  t.is(errors.size, histories.length)
  const refused = [...errors].flatMap(([name, error]) =>
    error ? [`${name}: ${error.message.slice(0, 400)}`] : [],
  )
  t.deepEqual(refused, [])
}

test('every recorded history replays with the current workflows', async (t) => {
  allReplay(t, await replay(await currentCode(), histories))
})

test('an unguarded change of the workflows refuses every recorded history', async (t) => {
  const errors = await replay(await codeChanged('unguarded'), histories)
  t.is(errors.size, histories.length)
  for (const [name, error] of errors) t.is(error?.name, 'DeterminismViolationError', name)
})

test('the same change behind `patched` replays every recorded history', async (t) => {
  allReplay(t, await replay(await codeChanged('patched'), histories))
})

test('every type of workflow has recorded histories', (t) => {
  const types = new Set(histories.map(({ workflowType }) => workflowType))
  t.deepEqual([...types].sort(), Object.keys(workflows).sort())
})

test('recorded histories name no machine', (t) => {
  t.true(histories.length > 0)
  for (const { name, history } of histories) {
    const found = /\d+@|127\.0\.0\.1|localhost|file:|\/(?:root|home|tmp|Users|work)\/|whsec_/.exec(
      textOf(history),
    )
    t.is(found, null, `${name}: ${found?.input.slice(found.index - 50, found.index + 50)}`)
  }
})
