import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import type { Command } from 'commander'
import { createProgram } from '../../cli/program.ts'
import { operatorOperations } from '../../operator/operations.ts'
import { listActs } from '../../store/db/fleet/list-acts.ts'
import { startGateway } from '../api/gateway.ts'
import { type Case, changeCases } from '../api/operator/change-cases.ts'
import { addOperator, callsAs } from '../api/operator/operators.ts'
import { farm } from './run-farm.ts'

/** Runs every command that changes something, by the database and by the API, and finds its act. */

const gateway = await startGateway({ operatorApi: 'on' })
const address = await gateway.server.listen({ port: 0, host: '127.0.0.1' })
const { db } = gateway
const admin = await addOperator(gateway, 'admin')
const { cases } = changeCases(gateway, callsAs(gateway, admin.headers))
const folder = await mkdtemp(join(tmpdir(), 'farm-test-'))
test.after.always(async () => {
  await gateway.stop()
  await rm(folder, { recursive: true, force: true })
})

const secret = gateway.secret
const ways = {
  'the database': {
    actor: 'ada',
    env: {
      DATABASE_URL: gateway.databaseUrl,
      FARM_OPERATOR: 'ada',
      FARM_SECRET: secret,
      FARM_URL: '',
    },
  },
  'the API': {
    actor: admin.email,
    env: {
      ...{ FARM_URL: address, DATABASE_URL: '', FARM_SECRET: '' },
      FARM_OPERATOR_TOKEN: admin.headers.authorization?.slice('Bearer '.length) ?? '',
    },
  },
} as const

type Made = Case & { readonly params: Readonly<Record<string, string>> }
type Body = Readonly<Record<string, string | number | readonly string[]>>
type Run = {
  readonly args: readonly string[]
  /** Text on standard input. */
  readonly input?: string
}

const first = ({ body }: Made, name: string) => String([(body as Body)[name]].flat()[0])
const onNode = (made: Made): Run => ({ args: [first(made, 'nodes')] })
const onJob = ({ params }: Made): Run => ({ args: [params.job ?? ''] })
const onAccount = ({ params }: Made): Run => ({ args: [params.account ?? ''] })
const all = ({ params }: Made): Run => ({ args: Object.values(params) })

/** Arguments of the command of each changing operation, after its name. */
const commands: Readonly<Record<string, readonly [command: string, run: (made: Made) => Run]>> = {
  operatorCordonNodes: ['nodes cordon', onNode],
  operatorUncordonNodes: ['nodes uncordon', onNode],
  operatorDrainNodes: ['nodes drain', onNode],
  operatorReleaseNodes: ['nodes release', onNode],
  operatorAddReceiver: [
    'receivers add',
    (made) => ({ args: [first(made, 'name'), '--form', 'slack'], input: first(made, 'url') }),
  ],
  operatorRemoveReceiver: ['receivers remove', all],
  operatorTestReceiver: ['receivers test', all],
  operatorAddMaintenance: [
    'maintenance add',
    (made) => ({ args: ['--node', first(made, 'node'), '--to', first(made, 'to')] }),
  ],
  operatorCancelMaintenance: ['maintenance cancel', all],
  operatorLimitPool: ['pools limit', (made) => ({ args: [first(made, 'pool'), '--slots', '3'] })],
  operatorCancelJob: ['jobs cancel', onJob],
  operatorRetryJob: ['jobs retry', onJob],
  operatorPrioritiseJob: ['jobs priority', ({ params }) => ({ args: [params.job ?? '', 'high'] })],
  operatorHoldJob: ['jobs hold', onJob],
  operatorPauseJob: ['jobs pause', onJob],
  operatorResumeJob: ['jobs resume', onJob],
  operatorRetryTask: ['tasks retry', all],
  operatorEndAttempt: ['tasks end', all],
  operatorReadRequest: ['jobs show', ({ params }) => ({ args: [params.job ?? '', '--payload'] })],
  operatorStopWebhook: ['webhooks stop', all],
  operatorRedeliver: ['webhooks redeliver', all],
  operatorCreateAccount: ['accounts create', (made) => ({ args: [first(made, 'name')] })],
  operatorSetPlan: [
    'accounts set-plan',
    ({ params }) => ({ args: [params.account ?? '', 'studio'] }),
  ],
  operatorSuspendAccount: ['accounts suspend', onAccount],
  operatorResumeAccount: ['accounts resume', onAccount],
  operatorCloseAccount: ['accounts close', onAccount],
  operatorChangeShare: [
    'queue share',
    ({ params }) => ({ args: [params.account ?? '', '--weight', '2'] }),
  ],
  operatorGrantCredits: ['credits grant', ({ params }) => ({ args: [params.account ?? '', '5'] })],
  operatorCorrectCredits: [
    'credits correct',
    ({ params }) => ({ args: [params.account ?? '', '-5'] }),
  ],
  operatorSetBudget: ['budgets set', ({ params }) => ({ args: [params.account ?? '', '100'] })],
  operatorRemoveBudget: ['budgets remove', onAccount],
  operatorDisconnectAgent: ['agents disconnect', all],
  operatorCreateKey: ['keys create', ({ params }) => ({ args: [params.account ?? '', 'ci'] })],
  operatorRevokeKey: ['keys revoke', all],
  operatorCreateUser: [
    'users create',
    (made) => ({ args: [made.params.account ?? '', first(made, 'email')] }),
  ],
  operatorSetUserPassword: ['users set-password', all],
  operatorEndUserSessions: ['users end-sessions', all],
  operatorRevokeCertificates: ['certs revoke', (made) => ({ args: [first(made, 'which')] })],
  operatorInviteNodes: [
    'nodes invite',
    (made) => ({ args: [first(made, 'pool'), '--uses', '20', '--for', '10m'] }),
  ],
  operatorEndInvitation: ['nodes uninvite', all],
  operatorCreateOperator: [
    'operators create',
    (made) => ({ args: [first(made, 'email'), '--role', 'viewer'] }),
  ],
  operatorDisableOperator: ['operators disable', all],
  operatorSetRole: [
    'operators role',
    ({ params }) => ({ args: [params.email ?? '', '--role', 'viewer'] }),
  ],
  operatorResetPassword: ['operators reset-password', all],
}

/** Making certificates has a test below, as each needs the files of the one before. */
const testedElsewhere = [
  ...['certs ca', 'certs scheduler', 'certs enrolment', 'certs scaler', 'certs node', 'fsck'],
]
/** Only pages read an output, and a certificate is made before it is sent. */
const withoutCommand = ['operatorReadOutput', 'operatorRecordCertificate', 'operatorAdmitNode']

const why = 'every command is on record'
const common = ['--why', why, '--json']

/** Runs a command in this process, which is much quicker than a program for each. */
async function run(
  command: string,
  { args, input }: Run,
  env: Readonly<Record<string, string>>,
): Promise<unknown> {
  const argv = [...command.split(' '), ...args, ...common]
  if (input !== undefined) {
    const file = join(folder, randomUUID())
    await writeFile(file, `${input}\n`)
    const launcher = new URL('../../farm', import.meta.url).pathname
    const shell = ['/bin/sh', '-c', `"$0" "$@" < '${file}'`, launcher]
    const { code, out, err } = await farm(argv, { env, command: shell })
    if (code !== 0) throw new Error(err)
    return JSON.parse(out)
  }
  const { log } = console
  let out = ''
  console.log = (text: string) => {
    out += text
  }
  Object.assign(process.env, env)
  try {
    await createProgram().parseAsync(argv, { from: 'user' })
    return JSON.parse(out)
  } finally {
    console.log = log
  }
}

async function actsOf(subject: string) {
  const acts = await listActs(db, { limit: 20, subject })
  return acts.filter((act) => act.why === why)
}

for (const [way, { env, actor }] of Object.entries(ways)) {
  for (const [id, [command, argumentsOf]] of Object.entries(commands)) {
    test.serial(`farm ${command} by ${way} leaves one act`, async (t) => {
      const { params = {}, ...made } = (await cases[id]?.()) ?? {}
      const answer = await run(command, argumentsOf({ params, ...made }), env)
      const subject = made.subject ?? String((answer as { id: string }).id)
      const acts = await actsOf(subject)
      t.is(acts.length, 1)
      t.is(acts[0]?.actor, actor)
      const name = command === 'jobs show' ? 'jobs read-request' : command
      t.true(acts[0]?.act.startsWith(name), acts[0]?.act)
    })
  }

  test.serial(`farm certs by ${way} makes certificates, each an act`, async (t) => {
    const dir = join(folder, way)
    const make = async (command: string, ...args: string[]) =>
      (await run(`certs ${command}`, { args: [...args, '--dir', dir] }, env)) as {
        readonly fingerprint: string
        readonly nodeId: string
      }
    const { fingerprint: authority } = await make('ca')
    const { fingerprint: scheduler } = await make('scheduler', '--host', '10.0.0.1')
    const { fingerprint: enrolment } = await make('enrolment')
    const { fingerprint: scaler } = await make('scaler')
    const name = `node-${randomUUID()}`
    const { nodeId } = await make('node', name)
    for (const [subject, act] of [
      [authority, 'certs ca'],
      [scheduler, 'certs scheduler 10.0.0.1'],
      [enrolment, 'certs enrolment'],
      [scaler, 'certs scaler'],
      [nodeId, 'certs node'],
    ] as const) {
      const acts = await actsOf(subject)
      t.deepEqual(
        acts.map((each) => [each.actor, each.act]),
        [[actor, act]],
      )
    }
    await t.throwsAsync(make('node', name), { message: /must not exist in/ })
  })
}

test('every changing operation has a command, and every such command a case', (t) => {
  const changes = operatorOperations.filter(({ method }) => method === 'POST').map(({ id }) => id)
  t.deepEqual([...Object.keys(commands), ...withoutCommand].toSorted(), changes.toSorted())
  const named = new Set([
    ...Object.values(commands).map(([command]) => command),
    ...testedElsewhere,
  ])
  t.deepEqual([...named].toSorted(), changing(createProgram()).toSorted())
})

/** Names of the commands that take a reason. */
function changing(command: Command, above = ''): string[] {
  const takesReason = command.options.some(({ long }) => long === '--why')
  const own = takesReason ? [above] : []
  const below = command.commands.flatMap((each) => changing(each, `${above} ${each.name()}`.trim()))
  return [...own, ...below]
}
