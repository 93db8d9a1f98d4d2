import { listAccessOperation } from './access.ts'
import {
  closeAccountOperation,
  createAccountOperation,
  getAccountOperation,
  listAccountsOperation,
  resumeAccountOperation,
  setPlanOperation,
  suspendAccountOperation,
} from './accounts.ts'
import { disconnectAgentOperation, listAgentsOperation } from './agents.ts'
import {
  addReceiverOperation,
  listAlertsOperation,
  listReceiversOperation,
  removeReceiverOperation,
  testReceiverOperation,
} from './alerts.ts'
import { listActsOperation } from './audit.ts'
import { listBudgetsOperation, removeBudgetOperation, setBudgetOperation } from './budgets.ts'
import {
  admitNodeOperation,
  listCertificatesOperation,
  recordCertificateOperation,
  revokeCertificatesOperation,
} from './certificates.ts'
import { listChartsOperation, readChartOperation } from './charts.ts'
import { correctCreditsOperation, grantCreditsOperation, listCreditsOperation } from './credits.ts'
import { readFiguresOperation } from './figures.ts'
import {
  endInvitationOperation,
  inviteNodesOperation,
  listInvitationsOperation,
} from './invitations.ts'
import {
  cancelJobOperation,
  prioritiseJobOperation,
  readOutputOperation,
  readRequestOperation,
  retryJobOperation,
} from './job-changes.ts'
import { holdJobOperation, pauseJobOperation, resumeJobOperation } from './job-holds.ts'
import { explainJobOperation, getJobOperation, listJobsOperation } from './jobs.ts'
import {
  createKeyOperation,
  findKeysOperation,
  listKeysOperation,
  revokeKeyOperation,
} from './keys.ts'
import { readLogOperation } from './logs.ts'
import {
  addMaintenanceOperation,
  cancelMaintenanceOperation,
  listMaintenanceOperation,
} from './maintenance.ts'
import {
  getNodeOperation,
  listNodesOperation,
  listQuarantinesOperation,
  nodeChanges,
} from './nodes.ts'
import type { AnyOperation } from './operation.ts'
import {
  createOperatorOperation,
  disableOperatorOperation,
  listOperatorsOperation,
  resetPasswordOperation,
  setRoleOperation,
} from './operators.ts'
import { limitPoolOperation, listPoolsOperation } from './pools.ts'
import {
  changeShareOperation,
  getShareOperation,
  listQueueOperation,
  listSharesOperation,
} from './queue.ts'
import { endAttemptOperation, retryTaskOperation } from './tasks.ts'
import {
  createUserOperation,
  endUserSessionsOperation,
  listUsersOperation,
  setUserPasswordOperation,
} from './users.ts'
import {
  getWebhookOperation,
  listWebhooksOperation,
  redeliverOperation,
  stopWebhookOperation,
} from './webhooks.ts'

/** All that operators see and do, reads before changes. */
export const operatorOperations: readonly AnyOperation[] = [
  readFiguresOperation,
  listChartsOperation,
  readChartOperation,
  listAlertsOperation,
  listReceiversOperation,
  listNodesOperation,
  getNodeOperation,
  listQuarantinesOperation,
  listCertificatesOperation,
  listInvitationsOperation,
  listMaintenanceOperation,
  listPoolsOperation,
  listQueueOperation,
  listSharesOperation,
  listJobsOperation,
  getJobOperation,
  explainJobOperation,
  readLogOperation,
  listAccountsOperation,
  getAccountOperation,
  getShareOperation,
  listCreditsOperation,
  listBudgetsOperation,
  listAgentsOperation,
  listUsersOperation,
  listKeysOperation,
  findKeysOperation,
  listWebhooksOperation,
  getWebhookOperation,
  listActsOperation,
  listAccessOperation,
  listOperatorsOperation,
  addReceiverOperation,
  removeReceiverOperation,
  testReceiverOperation,
  ...Object.values(nodeChanges),
  addMaintenanceOperation,
  cancelMaintenanceOperation,
  limitPoolOperation,
  cancelJobOperation,
  retryJobOperation,
  prioritiseJobOperation,
  holdJobOperation,
  pauseJobOperation,
  resumeJobOperation,
  retryTaskOperation,
  endAttemptOperation,
  readRequestOperation,
  readOutputOperation,
  stopWebhookOperation,
  redeliverOperation,
  createAccountOperation,
  setPlanOperation,
  suspendAccountOperation,
  resumeAccountOperation,
  closeAccountOperation,
  changeShareOperation,
  grantCreditsOperation,
  correctCreditsOperation,
  setBudgetOperation,
  removeBudgetOperation,
  disconnectAgentOperation,
  createKeyOperation,
  revokeKeyOperation,
  createUserOperation,
  setUserPasswordOperation,
  endUserSessionsOperation,
  recordCertificateOperation,
  admitNodeOperation,
  revokeCertificatesOperation,
  inviteNodesOperation,
  endInvitationOperation,
  createOperatorOperation,
  disableOperatorOperation,
  setRoleOperation,
  resetPasswordOperation,
]
