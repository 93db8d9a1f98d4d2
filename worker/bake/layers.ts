import type { CDPSession, Page } from 'playwright-core'
import { callOf } from './page/page.ts'
import { type Cell, cellIndexOf, placeUnseen } from './page/place.ts'

/** Layer as https://chromedevtools.github.io/devtools-protocol/tot/LayerTree describes it. */
type Layer = {
  readonly layerId: string
  /** Node that owns the layer. */
  readonly backendNodeId?: number
  readonly width: number
  readonly height: number
  readonly drawsContent: boolean
}

/** Filters out the page's own layer. */
const ofElements = ({ drawsContent, width }: Layer) => drawsContent && width > 0

/** Layers of a page's elements, which it can draw one by one without showing them. */
export type Layers = {
  /**
   * Returns PNGs of the cells that are exactly one layer, by the index of their element; others are
   * absent. The choice does not depend on the other mounted elements.
   */
  snapshot: (cells: readonly Cell[]) => Promise<ReadonlyMap<number, Promise<Buffer>>>
  /** Releases all recordings. */
  stop: () => Promise<void>
}

/**
 * Watches the layers of the mounted elements; undefined where the browser lacks the protocol. A
 * screenshot rebuilds the whole window in the compositor, copies it several times and waits for
 * frames; a snapshot draws one layer once (decision 0052).
 */
export async function watchLayers(page: Page, session: CDPSession): Promise<Layers | undefined> {
  let latest: readonly Layer[] = []
  let look = () => {}
  const listen = ({ layers = [] }: { layers?: readonly Layer[] }) => {
    latest = layers
    look()
  }
  session.on('LayerTree.layerTreeDidChange', listen)
  const isThere = await session.send('LayerTree.enable').then(
    () => true,
    () => false,
  )
  if (!isThere) return undefined

  /**
   * Returns the layers of a frame that contains the mark, and so was made after the cells were
   * placed.
   */
  const layersWith = async (mark: number) => {
    const shown = Promise.withResolvers<void>()
    const gone = () => shown.reject(new Error('The page ended before it reported its layers'))
    look = () => {
      if (latest.some(({ backendNodeId }) => backendNodeId === mark)) shown.resolve()
    }
    page.once('close', gone)
    page.once('crash', gone)
    try {
      look()
      await shown.promise
    } finally {
      look = () => {}
      page.off('close', gone)
      page.off('crash', gone)
    }
    return latest.filter((layer) => ofElements(layer) && layer.backendNodeId !== mark)
  }

  return {
    async snapshot(cells) {
      // A session answers its requests in order.
      const [, { mark, owners }] = await Promise.all([
        session.send('Runtime.evaluate', { expression: callOf(placeUnseen, { cells }) }),
        nodesOf(session),
      ])
      const own = new Map<number, Layer>()
      const strays: Layer[] = []
      for (const layer of await layersWith(mark)) {
        const index = owners.indexOf(layer.backendNodeId ?? 0)
        if (index >= 0) own.set(index, layer)
        else strays.push(layer)
      }
      const divided = await Promise.all(strays.map((layer) => ownerOf(layer, session)))
      const pictures = new Map<number, Promise<Buffer>>()
      if (divided.includes(-1)) return pictures
      for (const { index, width, height } of cells) {
        const layer = own.get(index)
        if (divided.includes(index) || layer?.width !== width || layer.height !== height) continue
        const drawn = draw(layer, session)
        // The error surfaces where the picture is awaited.
        drawn.catch(() => undefined)
        pictures.set(index, drawn)
      }
      return pictures
    },
    async stop() {
      session.off('LayerTree.layerTreeDidChange', listen)
      await session.send('LayerTree.disable')
    },
  }
}

/**
 * Returns the nodes of the cells, in the order of their elements, and of the mark, which comes
 * last.
 */
async function nodesOf(session: CDPSession): Promise<{ mark: number; owners: number[] }> {
  const [{ root }] = await Promise.all([
    session.send('DOM.getDocument', { depth: 3 }),
    session.send('DOM.disable'),
  ])
  const html = root.children?.find(({ localName }) => localName === 'html')
  const body = html?.children?.find(({ localName }) => localName === 'body')
  const owners = body?.children?.map(({ backendNodeId }) => backendNodeId) ?? []
  return { mark: owners.pop() ?? 0, owners }
}

/** Returns the index of the element that owns the layer; -1 for a layer outside all cells. */
async function ownerOf({ backendNodeId = 0 }: Layer, session: CDPSession): Promise<number> {
  const node = await session.send('DOM.resolveNode', { backendNodeId }).then(
    ({ object }) => object.objectId,
    () => undefined,
  )
  if (node === undefined) return -1
  const { result } = await session.send('Runtime.callFunctionOn', {
    objectId: node,
    functionDeclaration: `function () { return globalThis.farm.${cellIndexOf.name}(this) }`,
  })
  return Number(result.value ?? -1)
}

/**
 * Draws the layer as it was recorded when this was called, whatever happens to the page afterwards.
 */
async function draw({ layerId }: Layer, session: CDPSession): Promise<Buffer> {
  const snapshot = await session.send('LayerTree.makeSnapshot', { layerId })
  const { dataURL } = await session.send('LayerTree.replaySnapshot', snapshot)
  return Buffer.from(dataURL.slice(dataURL.indexOf(',') + 1), 'base64')
}
