import type { Caller, CallOptions, Query, Reply } from './caller.ts'
import { eachOf } from './pages.ts'

export type ElementDescription = Reply<'GET /api/render/elements'>['elements'][number]
export type LibraryItem = Reply<'GET /api/library/{kind}'>['items'][number]
export type LibraryKind = 'examples' | 'design-templates' | 'canvas-presets' | 'shapes'

/** Methods that help to write a project. They need no key. */
export function authoringMethods({ ask, fetch }: Caller) {
  return {
    /** Describes every element of a project: its fields, their rules, an example. */
    async elements(options: CallOptions = {}): Promise<readonly ElementDescription[]> {
      return (await ask('GET /api/render/elements', options)).elements
    },

    /** Describes the elements, then what they consist of and what holds them. */
    async parts(options: CallOptions = {}): Promise<readonly ElementDescription[]> {
      const { elements, parts } = await ask('GET /api/render/elements', options)
      return [...elements, ...parts]
    },

    /** Lists items of the library that have all words of `q` and the aspect, each with a small picture. */
    library: (
      kind: LibraryKind,
      filter: Pick<Query<'GET /api/library/{kind}'>, 'q' | 'aspect'> = {},
      options: CallOptions = {},
    ): AsyncGenerator<LibraryItem> =>
      eachOf(
        (page) =>
          ask('GET /api/library/{kind}', { ...options, id: kind, query: { ...filter, ...page } }),
        { items: ({ items }) => items, key: ({ slug }) => slug },
      ),

    /** Returns a JPEG of the first examples that `library` lists, each with its slug below. */
    examplesSheet: (
      filter: Pick<Query<'GET /api/library/{kind}'>, 'q' | 'aspect' | 'limit'> = {},
      options: CallOptions = {},
    ): Promise<Uint8Array> =>
      fetch<Uint8Array>(
        'GET /api/library/examples/sheet',
        { ...options, query: { ...filter } },
        async (response) => new Uint8Array(await response.arrayBuffer()),
      ),

    /** Returns the content of an item; of an example, its payload. */
    content: (
      { kind, slug }: Pick<LibraryItem, 'kind' | 'slug'>,
      options: CallOptions = {},
    ): Promise<Readonly<Record<string, unknown>>> =>
      fetch<Readonly<Record<string, unknown>>>(
        `GET /api/library/${kind}/{slug}/content`,
        { ...options, id: slug },
        (response) => response.json() as Promise<Record<string, unknown>>,
      ),
  }
}
