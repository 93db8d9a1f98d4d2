import type { Fit } from '../looks/picture.ts'
import type { ResolvedProject } from '../project/resolved.ts'
import type { RuleContext } from '../project/rule-words.ts'
import type { FilledOf, VisualKind } from '../project/schema/visuals.ts'
import type { BakeDocument, IngestSpec } from '../queue/tasks.ts'
import type { ClipFacts, Facts, mediaKey } from '../timeline/facts.ts'
import type { TimedElement } from '../timeline/types.ts'
import type { Layout, LayoutContext } from './layout.ts'
import type { ResolvedOf } from './resolved.ts'
import type { VisualBase } from './visual-base.ts'

/**
 * Everything that the farm knows of a visual type. Each type's folder implements it. Functions that
 * take a visual are methods, so that one type may stand for any type (`visualTypeOf`).
 */
export type VisualType<Kind extends VisualKind = VisualKind> = {
  /** Its branch of the schema's union. */
  readonly schema: object
  /** Description and smallest example in the list of elements. */
  readonly summary: string
  readonly example: { readonly type: Kind } & Item
  /** Checks what the schema cannot state, on a visual whose fields may have any type. */
  readonly checkRules: ((visual: Item, path: string, context: RuleContext) => void) | null
  /** Writes out the defaults of the type's own fields. */
  normalize(visual: FilledOf<Kind>, base: VisualBase, known: KnownPictures): ResolvedOf<Kind>
  /** Adds the same defaults to `shared`, in the request's language. `given`: the visual as sent. */
  withDefaults(shared: Item, visual: ResolvedOf<Kind>, given: Item): Item
  /** Lists the files that it shows. */
  media(visual: ResolvedOf<Kind>): readonly IngestSpec[]
  /** Returns its box and the pixels in it. Throws FarmError when a fact is missing. */
  layout(visual: ResolvedOf<Kind>, context: LayoutContext): Layout
  /**
   * Returns the end of the URLs of files that surely hide what lies below while the element is
   * visible; null = there are none.
   */
  opaqueFormat(visual: ResolvedOf<Kind>): RegExp | null
  /** Present when a browser paints it from markup. */
  readonly painted: PaintedRole<Kind> | null
  /** Present when it shows the frames of a clip. */
  readonly clip: ClipRole<Kind> | null
  /** Present when its clip has an end and a sound of its own. */
  readonly recording: RecordingRole<Kind> | null
}

type Item = Readonly<Record<string, unknown>>

export type KnownPictures = {
  /** Returns the URLs of the pictures in html. */
  readonly picturesOf: (html: string) => readonly string[]
}

export type PaintedRole<Kind extends VisualKind> = {
  markup(visual: ResolvedOf<Kind>): Markup
  /** Returns undefined while a picture in the markup has not been fetched. */
  document(
    visual: ResolvedOf<Kind>,
    project: ResolvedProject,
    media: Facts['media'],
  ): BakeDocument | undefined
}

/** Markup as the customer wrote it; `style` is empty for SVG. */
export type Markup = Pick<BakeDocument, 'kind' | 'markup' | 'style'>

export type ClipRole<Kind extends VisualKind> = {
  /** Fit into a box of given edges, without `resize`. */
  readonly fit: Fit
  /** Returns undefined while the clip has not been probed. */
  facts(visual: ResolvedOf<Kind>, facts: Pick<Facts, 'media'>): ClipFacts | undefined
  /** Identifies which frames are decoded, and at what size. */
  look(visual: ResolvedOf<Kind>): string
}

export type RecordingRole<Kind extends VisualKind> = {
  /** True where the request says where in the source it ends. */
  hasGivenEnd(visual: ResolvedOf<Kind>): boolean
  /**
   * Seconds that it plays before it holds its last frame; 0 while its length is unknown.
   * `element`: its place in the film, where a transition may keep it playing.
   */
  seconds(
    visual: ResolvedOf<Kind>,
    facts: Facts,
    element?: Pick<TimedElement, 'begin' | 'link'>,
  ): number
  sound(visual: ResolvedOf<Kind>): RecordedSound
}

export type RecordedSound = {
  readonly medium: Parameters<typeof mediaKey>[0]
  /** Second of the source at which it begins. */
  readonly from: number
  readonly volume: number
  readonly speed: number
  /** Absent = decided by the source. */
  readonly hasAudio?: boolean
}
