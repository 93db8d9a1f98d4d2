import { join } from 'node:path'
import type { ExecutionContext } from 'ava'
import { pino } from 'pino'
import { DiskCache } from '../../../worker/files/disk-cache.ts'
import type { PictureWork } from '../../../worker/media/picture.ts'
import {
  createPictureDecoders,
  type DecoderLimits,
  type PictureDecoders,
} from '../../../worker/media/picture-decoders.ts'
import type { Sandbox } from '../../../worker/process/sandbox.ts'
import { never, sandbox, workOf } from '../encode/film-of.ts'

/** Decoders that end with the test. `fence`: their sandbox. */
export async function decodersOf(
  t: ExecutionContext,
  {
    dir,
    fence = sandbox,
    atOnce = 2,
    spares = 0,
    limits = {},
  }: {
    dir: string
    fence?: Sandbox
    atOnce?: number
    spares?: number
    limits?: Partial<DecoderLimits>
  },
): Promise<PictureDecoders> {
  const log = pino({ level: 'silent' })
  const options = { sandbox: fence, dataDir: dir, log, atOnce, spares, limits }
  const decoders = await createPictureDecoders(options)
  t.teardown(() => decoders.close())
  return decoders
}

/** Dependencies of a task that inspects pictures for the account `account`. */
export async function pictureWorkOf(
  t: ExecutionContext,
  fence: Sandbox = sandbox,
): Promise<PictureWork & { readonly sandbox: Sandbox }> {
  const work = await workOf(t)
  return {
    ...work,
    decoders: await decodersOf(t, { dir: work.dir, fence }),
    accountId: 'account',
    pixels: new DiskCache({ dir: join(work.dir, 'cache'), limitBytes: 2 ** 30 }),
    signal: never,
  }
}
