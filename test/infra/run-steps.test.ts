import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { runSteps, type Step } from '../../infra/setup/run-steps.mjs'
import { SetupError } from '../../infra/setup/shell.mjs'

const beatMs = 20

/** Makes steps that note when they begin, and end when they are told to. */
function makeSteps() {
  const begun: string[] = []
  const gates = new Map<string, PromiseWithResolvers<void>>()
  const step = (name: string, more: Partial<Step> = {}): Step => {
    const gate = Promise.withResolvers<void>()
    gates.set(name, gate)
    const install = async () => {
      begun.push(name)
      await gate.promise
    }
    return { key: name, name, how: '', install, ...more }
  }
  return { begun, step, end: (name: string) => gates.get(name)?.resolve(), gates }
}

async function until(t: ExecutionContext, isTrue: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !isTrue(); tries += 1) await sleep(5)
  t.true(isTrue())
}

test('steps run beside each other, and after those they need', async (t) => {
  const { begun, step, end } = makeSteps()
  const lines: string[] = []
  const steps = [step('a'), step('b'), step('c', { after: ['a', 'absent'] })]
  const running = runSteps(steps, { tell: (line) => lines.push(line) })
  await until(t, () => begun.length === 2)
  t.deepEqual(begun, ['a', 'b'])
  end('a')
  await until(t, () => begun.length === 3)
  end('b')
  end('c')
  await running
  t.deepEqual(lines.sort(), ['Installed a (0 s)', 'Installed b (0 s)', 'Installed c (0 s)'])
})

test('lines tell what still runs and what it is at', async (t) => {
  const lines: string[] = []
  const gate = Promise.withResolvers<void>()
  const install = async (note: (text: string) => void) => {
    note('7 packages')
    await gate.promise
  }
  const steps = [{ name: 'a server', how: '', install }]
  const running = runSteps(steps, { beatMs, tell: (line) => lines.push(line) })
  await until(t, () => lines.length > 1)
  t.is(lines[0], '  ... 0 s: a server (0 s): 7 packages')
  gate.resolve()
  await running
  const { length } = lines
  await sleep(3 * beatMs)
  t.is(lines.length, length)
})

test('a failure is told at once; what had begun ends first', async (t) => {
  const { begun, step, end, gates } = makeSteps()
  const lines: string[] = []
  const steps = [step('a'), step('b'), step('c', { after: ['a'] }), step('d', { after: ['b'] })]
  const running = runSteps(steps, { tell: (line) => lines.push(line) })
  await until(t, () => begun.length === 2)
  gates.get('a')?.reject(new SetupError('a is away.'))
  await until(t, () => lines.length === 1)
  t.is(lines[0], 'a is away.\nFinishing the steps that had begun.')
  end('b')
  await t.throwsAsync(running, { message: 'a is away.' })
  t.deepEqual(begun, ['a', 'b'])
})
