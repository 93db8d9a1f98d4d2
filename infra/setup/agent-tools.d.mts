/** Path of a program of the pinned judges; it may not exist. */
export function agentTool(name: 'conformance' | 'mcp-inspector'): string
/** Path of a module of the pinned judges. */
export function agentToolModule(path: string): string
