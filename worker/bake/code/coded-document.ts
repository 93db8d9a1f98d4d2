import type { DocumentToPaint } from '../page-pictures.ts'

export type CodedDocument = DocumentToPaint & {
  readonly code: NonNullable<DocumentToPaint['code']>
}
