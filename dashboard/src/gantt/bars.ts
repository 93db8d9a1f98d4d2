/** Bar from `from` to `to`, shares 0 to 1 of the width. */
export type Bar = {
  readonly key: string
  readonly from: number
  readonly to: number
  readonly tone: 'stage' | 'good' | 'busy' | 'bad' | 'quiet' | 'waiting'
  /** Outlined bars do the work of another attempt again: after it, or beside it. */
  readonly outline?: 'retry' | 'twin'
  /** Indexes of the segments that it renders. */
  readonly segments: readonly number[]
  readonly name: string
  /** Sentence for those who hover, and for the table. */
  readonly words: string
}
/** Row of bars of which none overlaps another. `name` is '' for a machine's second row and later ones. */
export type Row = { readonly name: string; readonly bars: readonly Bar[] }
