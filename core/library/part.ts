/** A piece of a project that is kept for others to take. */
export type LibraryPart = {
  readonly slug: string
  readonly title: string
  readonly description: string
  readonly category: string
  /** In px. */
  readonly width: number
  readonly height: number
  /** A visual, or settings of a project, as they are put into one. */
  readonly content: Readonly<Record<string, unknown>>
}
