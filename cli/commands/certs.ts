import { Command } from 'commander'
import type { ActOptions } from '../fleet/act.ts'
import { readDays, readNames, readUuid } from '../options.ts'
import { needsFarm } from './needs-farm.ts'
import { onRecord } from './on-record.ts'

type Making = { readonly dir: string; readonly days: number }

const folder = ['--dir <folder>', 'folder of the certificates and keys', 'certs'] as const

export function certsCommand(): Command {
  const group = new Command('certs')
    .description(
      `Create and revoke certificates of schedulers, nodes and autoscalers (mutual TLS) ${needsFarm}.`,
    )
    .exitOverride()
  onRecord(group.command('ca'))
    .description('Create the certificate authority of the farm.')
    .option(...folder)
    .option('--days <n>', 'days until it expires', readDays, 3650)
    .option('--json', 'print JSON, for programs')
    .action(async (options: Making & ActOptions) => {
      const { makeAuthority } = await import('../certs/certs.ts')
      await makeAuthority(options)
    })
  onRecord(group.command('scheduler'))
    .description('Create a certificate for schedulers.')
    .requiredOption(
      '--host <list>',
      'names and addresses that nodes use for the schedulers, separated by commas',
    )
    .option(...folder)
    .option('--days <n>', 'days until it expires', readDays, 365)
    .option('--json', 'print JSON, for programs')
    .action(async ({ host, ...options }: Making & ActOptions & { host: string }) => {
      const { makeSchedulerCertificate } = await import('../certs/certs.ts')
      await makeSchedulerCertificate({ ...options, hosts: readNames(host) })
    })
  onRecord(group.command('enrolment'))
    .description('Create the authority by which schedulers admit nodes that enrol.')
    .option(...folder)
    .option('--days <n>', 'days until it expires', readDays, 3650)
    .option('--json', 'print JSON, for programs')
    .action(async (options: Making & ActOptions) => {
      const { makeEnrolmentAuthority } = await import('../certs/certs.ts')
      await makeEnrolmentAuthority(options)
    })
  onRecord(group.command('scaler'))
    .description('Create a certificate for an autoscaler (KEDA).')
    .option(...folder)
    .option('--days <n>', 'days until it expires', readDays, 365)
    .option('--json', 'print JSON, for programs')
    .action(async (options: Making & ActOptions) => {
      const { makeScalerCertificate } = await import('../certs/certs.ts')
      await makeScalerCertificate(options)
    })
  onRecord(group.command('node'))
    .description('Create a certificate and a token for one node.')
    .argument('<name>', 'name of the node')
    .option('--id <uuid>', 'id of an existing node (default: a new one)', readUuid)
    .option(...folder)
    .option('--days <n>', 'days until it expires', readDays, 90)
    .option('--json', 'print JSON, for programs')
    .action(async (name: string, options: Making & { id?: string } & ActOptions) => {
      const { makeNodeCertificate } = await import('../certs/certs.ts')
      await makeNodeCertificate({ name, ...options })
    })
  group
    .command('list', { isDefault: true })
    .description('Show every certificate of a node.')
    .option('--json', 'print JSON, for programs')
    .action(async (options: { json?: boolean }) => {
      const { showCertificates } = await import('../certs/certs.ts')
      await showCertificates(options)
    })
  onRecord(group.command('revoke'))
    .description('Revoke certificates; schedulers then refuse their nodes.')
    .argument(
      '<which>',
      'fingerprint of a certificate, or id or name of a node for all its certificates',
    )
    .option('--json', 'print JSON, for programs')
    .action(async (which: string, options: ActOptions) => {
      const { revoke } = await import('../certs/certs.ts')
      await revoke({ which, ...options })
    })
  return group
}
