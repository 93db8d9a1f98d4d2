import { Command, Option } from 'commander'
import { type NoticeForm, noticeForms, pagerDutyUrl } from '../../core/alerts/notice.ts'
import type { ActOptions } from '../fleet/act.ts'
import { readLines, readName, readWords } from '../options.ts'
import { needsFarm } from './needs-farm.ts'
import { onRecord } from './on-record.ts'

export function alertsCommand(): Command {
  const group = new Command('alerts')
    .description(`Show what is wrong with the farm, and what was ${needsFarm}.`)
    .exitOverride()
  group
    .command('list', { isDefault: true })
    .description('Show alerts that go on, then ended ones of 30 days.')
    .option('--limit <n>', 'lines', readLines, 20)
    .option('--json', 'print JSON, for programs')
    .action(async (options: { limit: number; json?: boolean }) => {
      const { showAlerts } = await import('../fleet/alerts.ts')
      await showAlerts(options)
    })
  return group
}

type AddOptions = ActOptions & {
  readonly form: NoticeForm
  readonly url?: string
  readonly onlyPages?: boolean
}

export function receiversCommand(): Command {
  const group = new Command('receivers')
    .description(`Send alerts to Slack, PagerDuty or a program of yours ${needsFarm}.`)
    .exitOverride()
  group
    .command('list', { isDefault: true })
    .description('Show receivers, with the outcome of their last notice.')
    .option('--json', 'print JSON, for programs')
    .action(async (options: { json?: boolean }) => {
      const { showReceivers } = await import('../fleet/alerts.ts')
      await showReceivers(options)
    })
  onRecord(group.command('add'))
    .description(
      'Add a receiver. Standard input holds its secret: the address, or PagerDuty’s routing key.',
    )
    .argument('<name>', 'new name', readName)
    .addOption(
      new Option('--form <form>', 'form of the notices').choices(noticeForms).makeOptionMandatory(),
    )
    .option('--url <url>', `address, for pagerduty only (default: ${pagerDutyUrl})`, readWords)
    .option('--only-pages', 'send only alerts that wake somebody')
    .option('--json', 'print JSON, for programs')
    .action(async (name: string, options: AddOptions) => {
      const { addReceiver } = await import('../fleet/alerts.ts')
      await addReceiver({ name, ...options })
    })
  onReceiver(group, 'remove', 'Send a receiver nothing more, and forget its address.').action(
    async (receiver: string, options: ActOptions) => {
      const { removeReceiver } = await import('../fleet/alerts.ts')
      await removeReceiver({ receiver, ...options })
    },
  )
  onReceiver(group, 'test', 'Send a receiver an alert that begins and ends at once.').action(
    async (receiver: string, options: ActOptions) => {
      const { testReceiver } = await import('../fleet/alerts.ts')
      await testReceiver({ receiver, ...options })
    },
  )
  return group
}

function onReceiver(group: Command, name: string, description: string): Command {
  return onRecord(group.command(name))
    .description(description)
    .argument('<receiver>', 'id or name', readName)
    .option('--json', 'print JSON, for programs')
}
