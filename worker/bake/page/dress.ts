import type { PageElement, PageGlobals } from './dom.ts'

declare const document: PageGlobals['document']
declare const getComputedStyle: PageGlobals['getComputedStyle']
declare const FontFace: PageGlobals['FontFace']

export type Dressed = {
  /** Families of faces that failed to load. */
  readonly failedFonts: readonly string[]
  /** Families of `foreign` that this machine does not have. */
  readonly absent: readonly string[]
  /** Elements with a picture that cannot be decoded. */
  readonly broken: readonly number[]
}

/**
 * Gives every element its chain of families (computed value → chain, one table an element). Waits
 * until exactly the faces and pictures in use are loaded.
 */
export async function dress({
  faces,
  chains,
  foreign,
}: {
  faces: string
  chains: readonly Readonly<Record<string, string>>[]
  foreign: readonly string[]
}): Promise<Dressed> {
  addFaces({ faces })
  const broken = await applyChains(chains)
  const absent: string[] = []
  for (const family of foreign) {
    const face = new FontFace('probe', `local(${JSON.stringify(family)})`)
    await face.load().catch(() => absent.push(family))
  }
  // A character that a face lacks falls back to the next family, which only then begins to load.
  for (let round = 0; round < 20; round++) {
    document.body.getBoundingClientRect()
    if (document.fonts.status === 'loaded') break
    await document.fonts.ready
  }
  const failed = [...document.fonts].filter(({ status }) => status === 'error')
  return { failedFonts: failed.map(({ family }) => family), absent, broken }
}

export function addFaces({ faces }: { faces: string }): void {
  const style = document.createElement('style')
  style.textContent = faces
  document.head.append(style)
}

/** Preloads the face that most elements use. */
export async function loadUsualFace(): Promise<void> {
  await document.fonts.load('42px Poppins')
}

export async function applyChains(
  chains: readonly Readonly<Record<string, string>>[],
): Promise<number[]> {
  const broken = new Set<number>()
  const pictures: Promise<unknown>[] = []
  for (const [index, host] of [...document.querySelectorAll('.host')].entries()) {
    const root = (host.shadowRoot ?? host).querySelector('.root')
    if (!root) continue
    const all = [root, ...root.querySelectorAll('*')]
    const computed = new Map(all.map((each) => [each, String(getComputedStyle(each).fontFamily)]))
    const chainOf = (each: PageElement) => chains[index]?.[computed.get(each) ?? '']
    const setChain = (each: PageElement) =>
      each.style?.setProperty('font-family', chainOf(each) ?? '', 'important')
    for (const each of all) {
      const inherited = each.parentElement ? computed.get(each.parentElement) : undefined
      if (chainOf(each) && computed.get(each) !== inherited) setChain(each)
      if (each.localName === 'img') pictures.push(each.decode().catch(() => broken.add(index)))
    }
    // Elements that name their parent's family do not inherit its chain.
    const others = all.filter(
      (each) => chainOf(each) && String(getComputedStyle(each).fontFamily) === computed.get(each),
    )
    for (const each of others) setChain(each)
  }
  await Promise.all(pictures)
  return [...broken]
}

/**
 * Loads every face that has a character of `text` or of the most common scripts: text that code
 * writes later must show at once. Returns the families of faces that failed to load.
 */
export async function loadFaces({ text }: { text: string }): Promise<string[]> {
  const wanted = new Set([...text].map((character) => character.codePointAt(0) ?? 0))
  for (let code = 0x20; code <= 0xff; code++) wanted.add(code)
  const covers = (range: string) => {
    const pairs = [...range.matchAll(/U\+([\dA-F]+)(?:-([\dA-F]+))?/gi)]
    return pairs.some(([, first = '', last = first]) => {
      const [from, to] = [Number.parseInt(first, 16), Number.parseInt(last, 16)]
      return [...wanted].some((code) => code >= from && code <= to)
    })
  }
  const faces = [...document.fonts].filter(({ unicodeRange }) => covers(unicodeRange))
  await Promise.allSettled(faces.map((face) => face.load()))
  return [...document.fonts].flatMap(({ status, family }) => (status === 'error' ? [family] : []))
}
