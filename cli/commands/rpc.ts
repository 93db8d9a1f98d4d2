import { Command } from 'commander'
import { readSeconds } from '../options.ts'
import type { Target } from '../rpc/connection.ts'

type Listing = Target & { readonly json?: boolean }

export function rpcCommand(): Command {
  const group = new Command('rpc')
    .description('Show and call the gRPC methods of a scheduler, with the settings of a node.')
    .exitOverride()
  onServer(group.command('list', { isDefault: true }))
    .description('Show the methods of a server; a scheduler wants the credentials of a node.')
    .option('--json', 'print JSON, for programs')
    .action(async (options: Listing) => {
      const { listMethods } = await import('../rpc/rpc.ts')
      await listMethods(options)
    })
  onServer(group.command('describe'))
    .description('Show a service, method or message of a server as .proto text.')
    .argument('<name>', 'full name, such as farm.v1.NodeService/Lease')
    .action(async (name: string, options: Target) => {
      const { showDefinition } = await import('../rpc/rpc.ts')
      await showDefinition(name, options)
    })
  onServer(group.command('call'))
    .description('Call a method as a node and print its reply as JSON.')
    .argument('<method>', 'full name, such as grpc.health.v1.Health/Check')
    .argument('[json]', 'request, with the field names of the .proto file', '{}')
    .action(async (method: string, json: string, options: Target) => {
      const { callMethod } = await import('../rpc/rpc.ts')
      await callMethod(method, json, options)
    })
  return group
}

function onServer(command: Command): Command {
  return command
    .option('--address <host:port>', 'address of the server (default: FARM_SCHEDULER_ADDRESS)')
    .option('--plaintext', 'speak without TLS and send no token, as to the health port of a node')
    .option('--timeout <seconds>', 'seconds until a call fails', readSeconds, 10)
}
