import { setTimeout as sleep } from 'node:timers/promises'
import type { CallToolResult, McpServer, ServerContext } from '@modelcontextprotocol/server'

type Content = CallToolResult['content'][number]

/** One red pixel. */
export const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC'
/** No samples. */
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA='

const image: Content = { type: 'image', data: png, mimeType: 'image/png' }
const audio: Content = { type: 'audio', data: wav, mimeType: 'audio/wav' }

const contents: Readonly<Record<string, readonly Content[]>> = {
  test_simple_text: [{ type: 'text', text: 'This is a simple text response for testing.' }],
  test_image_content: [image],
  test_audio_content: [audio],
  test_embedded_resource: [
    resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
  ],
  test_multiple_content_types: [
    { type: 'text', text: 'Multiple content types test:' },
    image,
    resource('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
  ],
}

function resource(uri: string, mimeType: string, text: string): Content {
  return { type: 'resource', resource: { uri, mimeType, text } }
}

/** Time between two messages of one call, so that they arrive apart. */
const pauseMs = 50

/** Adds tools that answer in one round, and those that tell how far they are. */
export function addContentTools(server: McpServer): void {
  for (const [name, content] of Object.entries(contents)) {
    server.registerTool(name, { description: name }, () => ({ content: [...content] }))
  }
  server.registerTool('test_error_handling', { description: 'Fails' }, () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
  for (const name of ['test_tool_with_logging', 'test_logging_tool']) {
    server.registerTool(name, { description: 'Logs' }, async ({ mcpReq }) => {
      for (const data of [
        'Tool execution started',
        'Tool processing data',
        'Tool execution completed',
      ]) {
        await mcpReq.log('info', data)
        await sleep(pauseMs)
      }
      return done
    })
  }
  server.registerTool('test_tool_with_progress', { description: 'Tells progress' }, tellProgress)
}

const done: CallToolResult = { content: [{ type: 'text', text: 'Done' }] }

async function tellProgress({ mcpReq }: ServerContext): Promise<CallToolResult> {
  const progressToken = mcpReq._meta?.progressToken
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined) {
      const params = { progressToken, progress, total: 100 }
      await mcpReq.notify({ method: 'notifications/progress', params })
    }
    await sleep(pauseMs)
  }
  return done
}
