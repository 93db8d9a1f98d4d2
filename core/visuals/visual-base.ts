export type Anchor =
  | 'top-left'
  | 'top-center'
  | 'top-right'
  | 'center-left'
  | 'center-center'
  | 'center-right'
  | 'bottom-left'
  | 'bottom-center'
  | 'bottom-right'

/** Properties of every visual. `exitBegin` and `exitEnd` absent = the end of the scene or project. */
export type VisualBase = {
  readonly field: string
  readonly x: number
  readonly y: number
  readonly width?: number
  readonly height?: number
  readonly position: Anchor | 'custom'
  /** Anchor in force: given, or the position's, or top-left. */
  readonly anchor: Anchor
  readonly resize?: 'contain' | 'cover'
  readonly enterBegin: number
  readonly enterEnd: number
  readonly exitBegin?: number
  readonly exitEnd?: number
  readonly opacity: number
  readonly angle: number
  readonly flipV: boolean
  readonly flipH: boolean
  readonly track: number
  readonly enterAnimation: string | null
  readonly exitAnimation: string | null
}
