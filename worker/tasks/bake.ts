import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BakeDocument, BakeFacts, BakeResult, BakeSpec } from '../../core/queue/tasks.ts'
import { sha256 } from '../../runtime/sha256.ts'
import type { BakedPicture } from '../bake/paint.ts'
import type { TaskContext } from '../context.ts'
import { withPictures } from './html-pictures.ts'

/**
 * Paints documents with Chromium, each to one PNG, or to the consecutive PNGs of its animation
 * frames.
 */
export async function bake({ count }: BakeSpec, task: TaskContext): Promise<BakeResult> {
  const object = { 'farm.object': 'documents' }
  const read = await task.span.part('download', () => task.read('documents'), object)
  const documents: BakeDocument[] = JSON.parse(String(read))
  if (documents.length !== count) {
    throw new Error(`A bake task must bring ${count} documents. Got ${documents.length}`)
  }
  const baked = await paint(documents, task)
  await keepBaked(baked, task)
  await task.span.part('upload', () => uploadBaked(baked, task))
  return { bakes: baked.map(({ facts }) => facts) }
}

/** Painted document as it is stored, and its facts. */
export type Baked = { readonly png: Buffer; readonly facts: BakeFacts }

/** Paints documents. Static ones share a page with others of the account. */
export async function paint(asked: readonly BakeDocument[], task: TaskContext): Promise<Baked[]> {
  const { node, accountId, signal } = task
  task.notes.info({ documents: asked.length }, 'painting elements')
  const documents = await withPictures(asked, task)
  const part = (work: () => Promise<BakedPicture[]>) =>
    task.span.part('bake', work, { 'farm.documents': documents.length })
  // Custom code is limited by wall-clock time, so it gets a core of its own.
  const moves = documents.some(({ code }) => code !== undefined)
  const pictures = moves
    ? await node.lanes.run(task, () => part(() => node.baker.bake(documents, signal, accountId)))
    : await part(() => node.sharedBakes.bake({ documents, accountId, signal }))
  task.notes.info({ pictures: pictures.length }, 'elements painted')
  return pictures.map(bakedOf)
}

function bakedOf({ png, ...facts }: BakedPicture): Baked {
  const digest = sha256(png)
  return { png, facts: { ...facts, digest, bytes: png.length } }
}

export async function uploadBaked(baked: readonly Baked[], task: TaskContext): Promise<void> {
  for (const [i, { png }] of baked.entries()) await task.put(`bake-${i}`, png)
}

/** Caches the pictures: the node that bakes often renders next. */
async function keepBaked(baked: readonly Baked[], { dir, node }: TaskContext): Promise<void> {
  for (const { png, facts } of baked) {
    const file = join(dir, `bake-${facts.digest}`)
    await writeFile(file, png)
    await node.originals.adopt(facts.digest, file)
  }
}
