import type { CallToolResult } from '@modelcontextprotocol/server'
import type { Answer, Tool } from './tool.ts'

/**
 * Returns an answer of a tool as the protocol's result of a call. Facts for programs go out only where
 * the tool has an output schema (`output`): its text has them too, and a result without is smaller.
 */
export function callResult(
  { content, structured, isError }: Answer,
  { output }: Pick<Tool, 'output'>,
): CallToolResult {
  return {
    ...(isError && { isError }),
    content: content.map((each) => ({ ...each })),
    ...(output && structured && { structuredContent: { ...structured } }),
  }
}
