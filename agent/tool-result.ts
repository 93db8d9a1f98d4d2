import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Answer } from './tool.ts'

/** Returns an answer of a tool as the protocol's result of a call. */
export function callResult({ content, structured, isError }: Answer): CallToolResult {
  return {
    ...(isError && { isError }),
    content: content.map((each) => ({ ...each })),
    ...(structured && { structuredContent: { ...structured } }),
  }
}
