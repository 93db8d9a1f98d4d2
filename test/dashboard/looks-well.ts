import { axe, fits, keep, sizes, type Watched } from './open-browser.ts'

/** Looks at a page in both themes and both sizes: axe finds nothing, and nothing is too wide. */
export async function looksWell(
  t: { deepEqual: CallableFunction },
  { page }: Watched,
  name: string,
) {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const [size, viewport] of Object.entries(sizes)) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(viewport)
      const shown = `${name}-${size}-${colorScheme}`
      await keep(page, `feature-${shown}`)
      t.deepEqual([await axe(page), await fits(page)], [[], true], shown)
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize(sizes.desktop)
}
