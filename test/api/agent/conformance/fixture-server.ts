import {
  fromJsonSchema,
  type GetPromptResult,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { addContentTools, png } from './content-tools.ts'
import { addInputTools, states } from './input-tools.ts'

/**
 * Makes a server with what the public conformance suite calls by name: the suite tests a server's
 * protocol by tools, prompts and resources of its own, which the product has no use for.
 */
export function createFixtureServer(): McpServer {
  const server = new McpServer(
    { name: 'conformance-fixture', version: '1.0.0' },
    {
      capabilities: {
        ...{ tools: {}, prompts: {}, logging: {}, completions: {} },
        resources: { subscribe: true },
      },
      requestState: { verify: states.verify },
    },
  )
  addContentTools(server)
  addInputTools(server)
  addResources(server)
  addPrompts(server)
  server.server.setRequestHandler('completion/complete', ({ params }) => ({
    completion: { values: [`${params.argument.value}ing`], total: 1, hasMore: false },
  }))
  // The older revision has these methods; the newer one refuses them before they are looked up.
  server.server.setRequestHandler('resources/subscribe', () => ({}))
  server.server.setRequestHandler('resources/unsubscribe', () => ({}))
  return server
}

function addResources(server: McpServer): void {
  const text = { mimeType: 'text/plain' }
  for (const [name, uri] of [
    ['static-text', 'test://static-text'],
    ['watched', 'test://watched-resource'],
  ] as const) {
    server.registerResource(name, uri, text, () => ({
      contents: [{ uri, ...text, text: 'This is the content of the static text resource.' }],
    }))
  }
  const uri = 'test://static-binary'
  const image = { mimeType: 'image/png' }
  server.registerResource('static-binary', uri, image, () => ({
    contents: [{ uri, ...image, blob: png }],
  }))
  const json = { mimeType: 'application/json' }
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  server.registerResource('template', template, json, ({ href }, { id }) => ({
    contents: [{ uri: href, ...json, text: JSON.stringify({ id, data: `Data for ID: ${id}` }) }],
  }))
}

type Content = GetPromptResult['messages'][number]['content']

const shown = (...content: Content[]): GetPromptResult => ({
  messages: content.map((each) => ({ role: 'user', content: each })),
})
const strings = (...names: string[]) =>
  fromJsonSchema<Record<string, string>>({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: names,
  })
const twoArguments = strings('arg1', 'arg2')
const oneResource = strings('resourceUri')

function addPrompts(server: McpServer): void {
  server.registerPrompt('test_simple_prompt', { description: 'Says one line' }, () =>
    shown({ type: 'text', text: 'This is a simple prompt for testing.' }),
  )
  server.registerPrompt('test_prompt_with_image', { description: 'Shows an image' }, () =>
    shown(
      { type: 'image', data: png, mimeType: 'image/png' },
      { type: 'text', text: 'Please analyze the image above.' },
    ),
  )
  server.registerPrompt(
    'test_prompt_with_arguments',
    { description: 'Repeats its arguments', argsSchema: twoArguments },
    ({ arg1, arg2 }) =>
      shown({ type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` }),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'Embeds a resource', argsSchema: oneResource },
    ({ resourceUri: uri = '' }) => {
      const text = 'Embedded resource content for testing.'
      return shown(
        { type: 'resource', resource: { uri, mimeType: 'text/plain', text } },
        { type: 'text', text: 'Please process the embedded resource above.' },
      )
    },
  )
}
