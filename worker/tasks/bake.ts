import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BakeDocument, BakeFacts, BakeResult, BakeSpec } from '../../core/tasks.ts'
import type { BakedPicture } from '../bake/paint.ts'
import type { TaskContext } from '../context.ts'

/** Paints documents with Chromium, each to one PNG, or those of its moments in a row. */
export async function bake({ count }: BakeSpec, task: TaskContext): Promise<BakeResult> {
  const input = join(task.dir, 'documents')
  const object = { 'farm.object': 'documents' }
  await task.span.part('download', () => task.get('documents', input), object)
  const documents: BakeDocument[] = JSON.parse(await readFile(input, 'utf8'))
  if (documents.length !== count) {
    throw new Error(`A bake task must bring ${count} documents. Got ${documents.length}`)
  }
  const { node, accountId, signal } = task
  const part = (paint: () => Promise<BakedPicture[]>) =>
    task.span.part('bake', paint, { 'farm.documents': count })
  // Code has its time by the clock on the wall, so it has a core of its own.
  const moves = documents.some(({ code }) => code !== undefined)
  const pictures = moves
    ? await node.lanes.run(task, () => part(() => node.baker.bake(documents, signal, accountId)))
    : await part(() => node.sharedBakes.bake({ documents, accountId, signal }))
  return { bakes: await task.span.part('upload', () => upload(pictures, task)) }
}

async function upload(pictures: readonly BakedPicture[], task: TaskContext): Promise<BakeFacts[]> {
  const bakes: BakeFacts[] = []
  for (const [i, { png, ...facts }] of pictures.entries()) {
    const digest = createHash('sha256').update(png).digest('hex')
    await task.put(`bake-${i}`, png)
    await keep(digest, png, task)
    bakes.push({ ...facts, digest, bytes: png.length })
  }
  return bakes
}

/** The node that bakes often renders next. */
async function keep(digest: string, png: Buffer, { dir, node }: TaskContext): Promise<void> {
  const file = join(dir, `bake-${digest}`)
  await writeFile(file, png)
  await node.originals.adopt(digest, file)
}
