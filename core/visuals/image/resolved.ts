import type { PictureBase } from '../picture/resolved.ts'

export type ResolvedImage = PictureBase & { readonly type: 'IMAGE' }
