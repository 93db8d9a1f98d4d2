import type { Profile, Tool } from './tool.ts'
import { cancelBulk } from './tools/cancel-bulk.ts'
import { cancelRender } from './tools/cancel-render.ts'
import { checkProject } from './tools/check-project.ts'
import { createWebhook } from './tools/create-webhook.ts'
import { deleteTemplate } from './tools/delete-template.ts'
import { deleteWebhook } from './tools/delete-webhook.ts'
import { editDraft } from './tools/edit-draft.ts'
import { findExamples } from './tools/find-examples.ts'
import { getAccount } from './tools/get-account.ts'
import { getBulk } from './tools/get-bulk.ts'
import { getRender } from './tools/get-render.ts'
import { getSchema } from './tools/get-schema.ts'
import { getTemplate } from './tools/get-template.ts'
import { getUsage } from './tools/get-usage.ts'
import { listRenders } from './tools/list-renders.ts'
import { listTemplates } from './tools/list-templates.ts'
import { listWebhooks } from './tools/list-webhooks.ts'
import { previewProject } from './tools/preview-project.ts'
import { quoteBulk } from './tools/quote-bulk.ts'
import { quoteRender } from './tools/quote-render.ts'
import { redeliver } from './tools/redeliver.ts'
import { render } from './tools/render.ts'
import { renderBulk } from './tools/render-bulk.ts'
import { repairDraft } from './tools/repair-draft.ts'
import { saveDraft } from './tools/save-draft.ts'
import { saveTemplate } from './tools/save-template.ts'
import { testWebhook } from './tools/test-webhook.ts'
import { updateTemplate } from './tools/update-template.ts'
import { updateWebhook } from './tools/update-webhook.ts'

/**
 * Tools of each profile; each has those of the one before. API keys, sign-in and the plan are left to
 * people.
 */
const readonlyTools = [
  ...[getAccount, getSchema, findExamples, listRenders, getRender, listTemplates, getTemplate],
]
const creatorTools = [
  ...[
    checkProject,
    previewProject,
    saveDraft,
    editDraft,
    repairDraft,
    quoteRender,
    render,
    cancelRender,
  ],
  saveTemplate,
]
const automationTools = [
  ...[quoteBulk, renderBulk, getBulk, cancelBulk],
  ...[listWebhooks, createWebhook, testWebhook, redeliver],
]
const developerTools = [updateTemplate, deleteTemplate, updateWebhook, deleteWebhook, getUsage]

const upToCreator = [...readonlyTools, ...creatorTools]
const upToAutomation = [...upToCreator, ...automationTools]

export const toolsOf: Readonly<Record<Profile, readonly Tool[]>> = {
  readonly: readonlyTools,
  creator: upToCreator,
  automation: upToAutomation,
  developer: [...upToAutomation, ...developerTools],
}

export const profiles = ['readonly', 'creator', 'automation', 'developer'] as const
