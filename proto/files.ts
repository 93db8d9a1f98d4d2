import { fileURLToPath } from 'node:url'

/** Path of the wire contract, for programs that load it while they run. */
export const nodeProto = fileURLToPath(new URL('farm/v1/node.proto', import.meta.url))
