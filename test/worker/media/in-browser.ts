import type { ExecutionContext } from 'ava'
import { chromium } from 'playwright-core'
import { findChromium } from '../../../worker/bake/browser.ts'

export type Seen = { readonly width: number; readonly height: number; readonly raw: Buffer }

/** Runs in the page. */
const paint = `async (url) => {
  const image = new Image()
  image.src = url
  const isShown = await new Promise((resolve) => {
    image.onload = () => resolve(true)
    image.onerror = () => resolve(false)
  })
  if (!isShown) return undefined
  const { naturalWidth: width, naturalHeight: height } = image
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  const context = canvas.getContext('2d')
  context.drawImage(image, 0, 0)
  return { width, height, data: [...context.getImageData(0, 0, width, height).data] }
}`

/** Shows pictures as the installed Chromium does, in sRGB; undefined where it refuses one. */
export async function openBrowser(t: ExecutionContext) {
  const executablePath = await findChromium()
  if (!executablePath) throw new Error('The test needs a Chromium. There is none')
  const browser = await chromium.launch({
    executablePath,
    args: ['--force-color-profile=srgb', '--disable-gpu'],
    chromiumSandbox: false,
  })
  t.teardown(() => browser.close())
  const page = await browser.newPage()
  return async (file: Buffer): Promise<Seen | undefined> => {
    const type = file.toString('latin1', 4, 8) === 'ftyp' ? 'avif' : 'png'
    const url = `data:image/${type};base64,${file.toString('base64')}`
    const seen: { width: number; height: number; data: number[] } | undefined = await page.evaluate(
      `(${paint})(${JSON.stringify(url)})`,
    )
    return seen && { width: seen.width, height: seen.height, raw: Buffer.from(seen.data) }
  }
}
