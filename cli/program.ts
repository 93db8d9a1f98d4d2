import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { accessCommand } from './commands/access.ts'
import { accountsCommand } from './commands/accounts.ts'
import { agentCommand } from './commands/agent.ts'
import { agentsCommand } from './commands/agents.ts'
import { alertsCommand, receiversCommand } from './commands/alerts.ts'
import { apiCommand } from './commands/api.ts'
import { auditCommand } from './commands/audit.ts'
import { budgetsCommand } from './commands/budgets.ts'
import { bulkCommand } from './commands/bulk.ts'
import { callCommand } from './commands/call.ts'
import { certsCommand } from './commands/certs.ts'
import { controlCommand } from './commands/control.ts'
import { creditsCommand } from './commands/credits.ts'
import { devCommand } from './commands/dev.ts'
import { doctorCommand } from './commands/doctor.ts'
import { explainCommand } from './commands/explain.ts'
import { fsckCommand } from './commands/fsck.ts'
import { jobsCommand } from './commands/jobs.ts'
import { keysCommand } from './commands/keys.ts'
import { logsCommand } from './commands/logs.ts'
import { maintenanceCommand } from './commands/maintenance.ts'
import { migrateCommand } from './commands/migrate.ts'
import { nodesCommand } from './commands/nodes.ts'
import { operatorsCommand } from './commands/operators.ts'
import { poolsCommand } from './commands/pools.ts'
import { previewCommand } from './commands/preview.ts'
import { queueCommand } from './commands/queue.ts'
import { renderCommand } from './commands/render.ts'
import { rpcCommand } from './commands/rpc.ts'
import { schedulerCommand } from './commands/scheduler.ts'
import { tasksCommand } from './commands/tasks.ts'
import { uploadCommand } from './commands/upload.ts'
import { usersCommand } from './commands/users.ts'
import { validateCommand } from './commands/validate.ts'
import { webhooksCommand } from './commands/webhooks.ts'
import { workerCommand } from './commands/worker.ts'
import { workflowsCommand } from './commands/workflows.ts'

const commands = [
  renderCommand,
  previewCommand,
  bulkCommand,
  validateCommand,
  uploadCommand,
  callCommand,
  agentCommand,
  explainCommand,
  devCommand,
  doctorCommand,
  apiCommand,
  schedulerCommand,
  workflowsCommand,
  controlCommand,
  workerCommand,
  migrateCommand,
  fsckCommand,
  accountsCommand,
  usersCommand,
  keysCommand,
  agentsCommand,
  creditsCommand,
  budgetsCommand,
  webhooksCommand,
  nodesCommand,
  poolsCommand,
  maintenanceCommand,
  alertsCommand,
  receiversCommand,
  certsCommand,
  operatorsCommand,
  jobsCommand,
  tasksCommand,
  queueCommand,
  logsCommand,
  auditCommand,
  accessCommand,
  rpcCommand,
]

function version(): string {
  const file = new URL('../package.json', import.meta.url)
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

/** Builds the whole command line. A command loads its code when it runs, so that help is quick. */
export function createProgram(): Command {
  const program = new Command('farm')
    .description('Render films and stills from JSON, on one machine or many.')
    .version(version())
    .exitOverride()
    .enablePositionalOptions()
    .showHelpAfterError("(run 'farm --help' for the commands)")
  for (const create of commands) {
    program.addCommand(create().exitOverride())
  }
  return program
}
