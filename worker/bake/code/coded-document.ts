import type { BakeDocument } from '../../../core/tasks.ts'

export type CodedDocument = BakeDocument & { readonly code: NonNullable<BakeDocument['code']> }
