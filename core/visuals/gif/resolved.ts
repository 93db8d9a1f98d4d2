import type { PictureBase } from '../picture/resolved.ts'

/** Loops over its window. */
export type ResolvedGif = PictureBase & { readonly type: 'GIF' }
