import test from 'ava'
import { findLocalMedia, pointTo } from '../../cli/render/local-media.ts'
import { startMediaServer } from '../../cli/render/media-server.ts'
import { readProjectFile } from '../../cli/render/project-file.ts'
import { decodedDigests, startFarm } from '../farm/running-farm.ts'
import { examples } from './example-files.ts'

type Rendered = { readonly file: Buffer; readonly isFilm: boolean }

/** Renders every example on a farm with these workers and slots. */
async function renderAll({ workers, slots }: { workers: number; slots: string }) {
  const media = await startMediaServer()
  const env = { FARM_TRUSTED_HOSTS: media.host, FARM_SLOTS: slots }
  const farm = await startFarm({ workers, env })
  try {
    const rendered = new Map<string, Rendered>()
    for (const { name, file: path, variables } of examples) {
      const request = readProjectFile(path, variables)
      const found = findLocalMedia(request, path)
      const pointed = pointTo(request, found, (each) => media.offer(each.file))
      const { file } = await farm.render(pointed.payload, pointed.variables)
      rendered.set(name, { file, isFilm: pointed.payload.type !== 'image' })
    }
    return rendered
  } finally {
    await farm.stop()
    media.close()
  }
}

test('every example is the same with one shard and with many', async (t) => {
  t.timeout(30 * 60_000)
  const alone = await renderAll({ workers: 1, slots: '1' })
  const shared = await renderAll({ workers: 3, slots: '2' })
  t.is(alone.size, examples.length)
  for (const [name, { file, isFilm }] of alone) {
    const other = shared.get(name)?.file ?? Buffer.alloc(0)
    if (isFilm) t.is(await decodedDigests(file), await decodedDigests(other), name)
    t.true(file.equals(other), name)
  }
})
