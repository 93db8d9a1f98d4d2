import { type SealKeys, seal, unseal } from '../../../runtime/seal.ts'

/** A draft's name as its row has it. In clear, it is of an older version of the farm. */
export type StoredName = { readonly name: string | null; readonly sealedName: string | null }

/** Seals a name for the rows of a draft, all its versions included. */
export function sealName(keys: SealKeys, name: string, projectId: string): string {
  return seal(keys, name, sealedAsName(projectId))
}

/** Opens the name of a draft. @throws Error when its key is gone */
export function openName(
  keys: SealKeys,
  { name, sealedName }: StoredName,
  projectId: string,
): string {
  return name ?? unseal(keys, sealedName ?? '', sealedAsName(projectId))
}

function sealedAsName(projectId: string): string {
  return `draft name ${projectId}`
}
