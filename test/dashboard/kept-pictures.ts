import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pixelmatch from 'pixelmatch'
import type { Page } from 'playwright-core'
import { type Picture, paletteEncoded, readPng } from './palette-png.ts'

/** Pictures of pages that are kept in the repository: `FARM_KEEP_PICTURES=1` keeps them anew. */

const differing = process.env.FARM_TEST_PICTURES ?? tmpdir()
const isUpdate = process.env.FARM_KEEP_PICTURES === '1'
/** Share of the pixels that may differ. */
const mostDiffering = 0.001

export async function pictureOf(page: Page, { fullPage = false } = {}): Promise<Picture> {
  return await readPng(await page.screenshot({ animations: 'disabled', caret: 'hide', fullPage }))
}

type Asserts = {
  is(a: unknown, b: unknown, why?: string): boolean
  true(a: boolean, why?: string): boolean
}

/** Compares a picture with the one that the folder `kept` has of it. */
export async function compareWithKept(
  t: Asserts,
  picture: Picture,
  { kept, name }: { readonly kept: string; readonly name: string },
): Promise<void> {
  const path = join(kept, `${name}.png`)
  const file = paletteEncoded(picture)
  if (isUpdate) {
    await mkdir(kept, { recursive: true })
    return await writeFile(path, file)
  }
  const { width, height } = picture
  const before = await readPng(await readFile(path))
  t.is(`${before.width}x${before.height}`, `${width}x${height}`, name)
  const shown = new Uint8Array(width * height * 4)
  const pixels = pixelmatch(before.data, (await readPng(file)).data, shown, width, height)
  const share = pixels / (width * height)
  if (share > mostDiffering) await writeFile(join(differing, `differs-${name}.png`), file)
  t.true(share <= mostDiffering, `${name}: ${(share * 100).toFixed(2)} % differ`)
}
