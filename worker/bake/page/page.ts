import type { BrowserContext, Page } from 'playwright-core'
import { balancedRows } from '../../../core/looks/caption-rows.ts'
import { everywhere } from '../../../core/looks/family-chain.ts'
import { doctype, elementSheet } from '../../../core/looks/text-page.ts'
import { type Fonts, fontOrigin } from '../fonts.ts'
import { type PagePictures, pictureOrigin } from '../page-pictures.ts'
import { addFaces, applyChains, dress, loadFaces, loadUsualFace } from './dress.ts'
import {
  areaOf,
  blurSeconds,
  cssWork,
  effortOf,
  filterWork,
  hrefOf,
  idsIn,
  primitiveSeconds,
  scaleOf,
  workOf,
} from './effort.ts'
import {
  borderBox,
  cssPx,
  effectReach,
  fitHost,
  isSteadyStyle,
  marginOf,
  measure,
  partsIn,
  rectsOf,
  sumOfPx,
} from './measure.ts'
import { fontsOf, mount, sizeSvg } from './mount.ts'
import { cellIndexOf, clear, place, placeUnseen, showAgain } from './place.ts'
import { layRows, lettersOf, rowsIn, strokeRows, unitsIn, widthOf } from './rows.ts'
import { applyStyles, dropAutoMargins, styleEffect, viewportToPx } from './style.ts'

const pageUrl = 'https://bake.farm/'

/**
 * Forbids scripts and all fetches but the farm's own fonts and the pictures that it hands in. This
 * policy, the route and the browser's flags each enforce it.
 */
const contentPolicy = [
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  `img-src data: ${pictureOrigin}`,
  `font-src ${fontOrigin}`,
  "form-action 'none'",
  "base-uri 'none'",
].join('; ')

const html = `${doctype}<html lang="en"><head><meta charset="utf-8"><style>
html, body { margin: 0; background: transparent; overflow: hidden }
.cell { position: absolute; left: 0; top: 0; overflow: clip; contain: strict; will-change: transform }
.host { all: initial; position: absolute; display: flex; contain: layout style }
</style></head><body></body></html>`

const stillSheet =
  '*, *::before, *::after { animation: none !important; transition: none !important }'

/** Style sheets that `mount` gives to elements. */
export const sheets = { element: elementSheet, still: elementSheet + stillSheet }

/**
 * Functions that run inside the page. Each is sent as its text, so it may use only the others, by
 * name. The page's own scripts are off, and with them all timers.
 */
const inPage = [
  addFaces,
  applyChains,
  applyStyles,
  areaOf,
  balancedRows,
  blurSeconds,
  borderBox,
  cellIndexOf,
  clear,
  cssPx,
  cssWork,
  dress,
  dropAutoMargins,
  effectReach,
  effortOf,
  filterWork,
  fitHost,
  fontsOf,
  hrefOf,
  idsIn,
  isSteadyStyle,
  layRows,
  lettersOf,
  loadFaces,
  loadUsualFace,
  marginOf,
  measure,
  mount,
  partsIn,
  place,
  placeUnseen,
  primitiveSeconds,
  rectsOf,
  rowsIn,
  scaleOf,
  showAgain,
  sizeSvg,
  styleEffect,
  strokeRows,
  sumOfPx,
  unitsIn,
  viewportToPx,
  widthOf,
  workOf,
]

/**
 * Policy for custom code, which may bring fonts as data: URLs. It runs without an origin: no
 * storage, no window, no dialogue.
 */
export const codePolicy = `${contentPolicy.replace('font-src', 'font-src data:')}; sandbox allow-scripts`

/**
 * Opens an empty page in which elements can be mounted. The farm answers all its requests: with the
 * page itself, with the bundled fonts, with pictures of its documents, or with a refusal.
 */
export async function openBakePage(
  context: BrowserContext,
  { fonts, pictures }: { fonts: Fonts; pictures: PagePictures },
): Promise<Page> {
  await answerRequests(context, { fonts, pictures, policy: contentPolicy })
  const page = await context.newPage()
  await openPage(page)
  await page.waitForLoadState()
  await loadFarm(page, fonts)
  await callInPage(page, loadUsualFace, undefined)
  return page
}

/**
 * Answers the page's requests. The page is served once: a second request means that its code has
 * left it.
 */
export async function answerRequests(
  context: BrowserContext,
  { fonts, pictures, policy }: { fonts: Fonts; pictures: PagePictures; policy: string },
): Promise<void> {
  let isGivenOut = false
  await context.route('**/*', async (route) => {
    const url = route.request().url()
    if (url === pageUrl && !isGivenOut) {
      isGivenOut = true
      const headers = { 'content-security-policy': policy }
      return route.fulfill({ body: html, contentType: 'text/html', headers })
    }
    const isPicture = url.startsWith(`${pictureOrigin}/`)
    const body = await (isPicture ? pictures.read(url) : fonts.file(url))
    if (!body) return route.abort('blockedbyclient')
    const headers = { 'access-control-allow-origin': '*' }
    return route.fulfill({ body, contentType: isPicture ? 'image/png' : 'font/woff2', headers })
  })
}

export async function openPage(page: Page): Promise<void> {
  await page.goto(pageUrl, { waitUntil: 'commit' })
}

/** Loads the page's functions, and the rules of the faces that every element may need. */
export async function loadFarm(page: Page, fonts: Fonts): Promise<void> {
  const names = inPage.map(({ name }) => name).join(', ')
  await page.evaluate(
    `globalThis.farm = (() => { ${inPage.join('\n')}\nreturn { ${names} } })(); 0`,
  )
  const faces = await Promise.all(everywhere.map((family) => fonts.faces(family)))
  await callInPage(page, addFaces, { faces: faces.join('\n') })
}

/** Calls one of the functions above inside the page; arguments and results are JSON. */
export async function callInPage<Input, Output>(
  page: Page,
  task: (input: Input) => Output | Promise<Output>,
  input: Input,
): Promise<Output> {
  return page.evaluate(callOf(task, input))
}

/** Returns the source text of such a call. */
export function callOf<Input, Output>(
  task: (input: Input) => Output | Promise<Output>,
  input: Input,
): string {
  const argument = JSON.stringify(JSON.stringify(input ?? null))
  return `globalThis.farm.${task.name}(JSON.parse(${argument}))`
}
