import type { AddressInfo } from 'node:net'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Gateway } from '../gateway.ts'

/** Listens on a free port and answers the endpoint's address there. */
export async function listen({ server }: Pick<Gateway, 'server'>): Promise<URL> {
  await server.listen({ host: '127.0.0.1', port: 0 })
  const { port } = server.server.address() as AddressInfo
  return new URL(`http://127.0.0.1:${port}/mcp`)
}

export type Host = Awaited<ReturnType<typeof connect>>

/** Connects as a host does. `era`: the revision of the protocol that it speaks. */
export async function connect(
  url: URL,
  {
    headers,
    profile,
    era = 'auto',
  }: { headers: Record<string, string>; profile?: string; era?: 'auto' | 'legacy' },
) {
  const address = new URL(url)
  if (profile !== undefined) address.searchParams.set('profile', profile)
  const client = new Client(
    { name: 'test-host', version: '1.0.0' },
    { versionNegotiation: { mode: era } },
  )
  await client.connect(new StreamableHTTPClientTransport(address, { requestInit: { headers } }))
  return {
    client,
    /**
     * Calls a tool; answers its text, the facts in it, the facts for programs, and whether it is an
     * error.
     */
    async call(name: string, args: Record<string, unknown> = {}, options = {}) {
      const result = await client.callTool({ name, arguments: args }, options)
      const content = result.content as { type: string; text?: string }[]
      const text = content.map((each) => each.text ?? `(${each.type})`).join('\n')
      const [first = ''] = text.split('\n')
      return {
        text,
        facts: first.startsWith('{') ? (JSON.parse(first) as Record<string, unknown>) : undefined,
        structured: result.structuredContent,
        isError: result.isError === true,
      }
    },
    close: () => client.close(),
  }
}
