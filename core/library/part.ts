/** A reusable piece of a project. */
export type LibraryPart = {
  readonly slug: string
  readonly title: string
  readonly description: string
  readonly category: string
  /** px. */
  readonly width: number
  readonly height: number
  /** A visual, or settings of a project, ready to insert. */
  readonly content: Readonly<Record<string, unknown>>
}
