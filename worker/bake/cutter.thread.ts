import { parentPort } from 'node:worker_threads'
import { type CutRequest, createCut } from './cut.ts'
import type { CutReply } from './cutter.ts'

const cut = createCut()

/** Cuts pictures for cutter.ts, several at a time, each answered by its number. */
parentPort?.on('message', async ({ id, ...request }: CutRequest & { id: number }) => {
  parentPort?.postMessage(await reply(id, request))
})

async function reply(id: number, request: CutRequest): Promise<CutReply> {
  try {
    return { id, cuts: await cut(request) }
  } catch (error) {
    return { id, error: error instanceof Error ? error.message : String(error) }
  }
}
