import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import sharp from 'sharp'
import { makePlan } from '../../../core/plan/make-plan.ts'
import type { CanvasSettings } from '../../../core/plan/plan.ts'
import type { ResolvedProject } from '../../../core/project/resolved.ts'
import type { MediaFacts } from '../../../core/queue/tasks.ts'
import { mediaKey } from '../../../core/timeline/facts.ts'
import { imageSrc, projectOf, soundSrc } from '../../core/project-of.ts'
import { workOf, writeWav } from '../encode/film-of.ts'
import type { Objects } from './node-of.ts'

export const cpu: CanvasSettings = { backend: 'napi', device: 'CPU' }
const sha256 = (text: string | Buffer) => createHash('sha256').update(text).digest('hex')

export const named = (indexes: readonly number[]) => indexes.map((index) => `segment-${index}`)

/** Puts a real photo and a real tone into the store, with the plan of a project that uses them. */
export async function planOf(
  t: ExecutionContext,
  objects: Objects,
  { canvas = cpu, ...changes }: Partial<ResolvedProject> & { canvas?: CanvasSettings },
) {
  const { dir } = await workOf(t)
  const create = { width: 40, height: 20, channels: 3 as const, background: '#2060c0' }
  const photo = objects.add(await sharp({ create }).png().toBuffer())
  const wav = await writeWav(join(dir, 'tone'), { samples: 144_000 }, (i) => Math.sin(i / 9) / 2)
  const tone = objects.add(await readFile(wav))
  const image: MediaFacts = { kind: 'image', format: 'png', width: 40, height: 20, hasAlpha: false }
  const sound: MediaFacts = {
    kind: 'audio',
    format: 'wav',
    duration: 3,
    sampleRate: 48_000,
    channels: 1,
  }
  const media = new Map([
    [mediaKey({ expect: 'image', url: imageSrc }), { digest: photo, facts: image }],
    [mediaKey({ expect: 'audio', url: soundSrc }), { digest: tone, facts: sound }],
  ])
  const project = projectOf({ width: 160, height: 90, ...changes })
  const facts = { media, bakes: new Map() }
  const plan = makePlan({ project, facts, encoder: 'libx264', canvas, sha256 })
  objects.objects.set('plan', Buffer.from(JSON.stringify(plan)))
  return plan
}
