import { Command } from 'commander'
import type { ActOptions } from '../fleet/act.ts'
import { readDays, readNames, readUuid } from '../options.ts'
import { onRecord } from './on-record.ts'

type Making = { readonly dir: string; readonly days: number }

const folder = ['--dir <folder>', 'where the certificates and keys are kept', 'certs'] as const

export function certsCommand(): Command {
  const group = new Command('certs')
    .description('Certificates by which schedulers and nodes know each other (mutual TLS).')
    .exitOverride()
  onRecord(group.command('ca'))
    .description("Make the farm's own certificate authority (needs DATABASE_URL).")
    .option(...folder)
    .option('--days <n>', 'how long it is good', readDays, 3650)
    .option('--json', 'answer as JSON, for programs')
    .action(async (options: Making & ActOptions) => {
      const { makeAuthority } = await import('../certs/certs.ts')
      await makeAuthority(options)
    })
  onRecord(group.command('scheduler'))
    .description('Make a certificate for schedulers (needs DATABASE_URL).')
    .requiredOption('--host <list>', 'the names and addresses that nodes call them by')
    .option(...folder)
    .option('--days <n>', 'how long it is good', readDays, 365)
    .option('--json', 'answer as JSON, for programs')
    .action(async ({ host, ...options }: Making & ActOptions & { host: string }) => {
      const { makeSchedulerCertificate } = await import('../certs/certs.ts')
      await makeSchedulerCertificate({ ...options, hosts: readNames(host) })
    })
  onRecord(group.command('node'))
    .description('Make a certificate and a token for one node (needs DATABASE_URL).')
    .argument('<name>', 'what people call the node')
    .option('--id <uuid>', 'the node that it already is (default: a new one)', readUuid)
    .option(...folder)
    .option('--days <n>', 'how long it is good', readDays, 90)
    .option('--json', 'answer as JSON, for programs')
    .action(async (name: string, options: Making & { id?: string } & ActOptions) => {
      const { makeNodeCertificate } = await import('../certs/certs.ts')
      await makeNodeCertificate({ name, ...options })
    })
  group
    .command('list', { isDefault: true })
    .description('Show every certificate of a node (needs DATABASE_URL).')
    .option('--json', 'answer as JSON, for programs')
    .action(async (options: { json?: boolean }) => {
      const { showCertificates } = await import('../certs/certs.ts')
      await showCertificates(options)
    })
  onRecord(group.command('revoke'))
    .description('End certificates: their nodes are not let in any more (needs DATABASE_URL).')
    .argument('<which>', "a fingerprint, or a node's id or name for all of its own")
    .option('--json', 'answer as JSON, for programs')
    .action(async (which: string, options: ActOptions) => {
      const { revoke } = await import('../certs/certs.ts')
      await revoke({ which, ...options })
    })
  return group
}
