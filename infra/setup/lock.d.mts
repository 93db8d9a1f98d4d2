type Entry = { readonly optionalDependencies?: Readonly<Record<string, string>> }
export function missingEntries(lock: {
  readonly packages: Readonly<Record<string, Entry>>
}): Record<string, unknown>
