import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { FarmApiError } from '../client/farm-client.ts'
import { messageOf } from './call-tool.ts'
import { showRender } from './render-view.ts'
import { describePart } from './schema-view.ts'
import { thumbnailOf } from './thumbnail.ts'
import type { Acting, Agent } from './tool.ts'

/** Resources that a host reads without calling a tool. */

const guidelines = `# How to make a film here

1. Look for an example (find_examples) and copy it: save_draft {name, from}.
2. Change it by edit_draft: a JSON Patch whose paths start at the project. Read the part that you write with get_schema.
3. check_project lists every fault by path, the warnings, the price and the length. repair_draft mends what has one meaning.
4. quote_render fixes the price for 15 minutes. Show it to the person.
5. render {quote} makes the film once; repeat it as often as you like. get_render {id, wait} tells of longer ones.

- Times are seconds, sizes are pixels, (0, 0) is the upper left corner.
- Media are public https addresses.
- Texts may hold {{ name }}; variables give the values, and a template or bulk replaces them.
- Numbers of scenes, seconds and pixels are limited by the plan: get_account.
`

export function registerResources(server: McpServer, { farm, reconnect }: Acting): void {
  const guide = { title: 'How to make a film here', mimeType: markdown }
  server.registerResource('guidelines', 'farm://guidelines', guide, async ({ href: uri }) => ({
    contents: [{ uri, mimeType: markdown, text: guidelines }],
  }))
  const parts = new ResourceTemplate('farm://schema/{part}', { list: undefined })
  const language = { title: 'A part of the language of projects', mimeType: markdown }
  server.registerResource('schema', parts, language, async ({ href: uri }, { part }, context) => {
    const { signal } = context.mcpReq
    const lines = await found({ uri, reconnect }, () =>
      describePart(String(part), { farm, signal }),
    )
    return { contents: [{ uri, mimeType: markdown, text: lines.join('\n') }] }
  })
  const renders = new ResourceTemplate('farm://render/{id}', { list: undefined })
  const state = { title: 'State of a render, and its thumbnail', mimeType: json }
  server.registerResource('render', renders, state, async ({ href: uri }, { id }, context) => {
    const { signal } = context.mcpReq
    const asked = { id: String(id), farm, signal }
    const { job, thumbnail } = await found({ uri, reconnect }, () => readRender(asked))
    const text = JSON.stringify(showRender(job))
    const blob = thumbnail && Buffer.from(thumbnail).toString('base64')
    return {
      contents: [
        { uri, mimeType: json, text },
        ...(blob === undefined ? [] : [{ uri: `${uri}#thumbnail`, mimeType: 'image/jpeg', blob }]),
      ],
    }
  })
}

type Asked = Pick<Agent, 'farm' | 'signal'> & { readonly id: string }

async function readRender({ id, farm, signal }: Asked) {
  const job = await farm.getJob(id, { signal })
  return { job, thumbnail: await thumbnailOf(job, { farm, signal }) }
}

const markdown = 'text/markdown'
const json = 'application/json'

/** Refuses an unknown address as the protocol demands, in the words of the tools. */
async function found<T>(
  { uri, reconnect }: { readonly uri: string; readonly reconnect: Acting['reconnect'] | undefined },
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read()
  } catch (error) {
    const text = messageOf(error, { reconnect })
    const isUnknown =
      !(error instanceof FarmApiError) || ['not_found', 'invalid_request'].includes(error.code)
    if (isUnknown) throw new ResourceNotFoundError(uri, text)
    throw new ProtocolError(ProtocolErrorCode.InternalError, text)
  }
}
