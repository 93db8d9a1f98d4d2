export type Step = {
  readonly key?: string
  readonly after?: readonly string[]
  readonly name: string
  readonly how: string
  readonly lock?: string
  readonly isNeeded?: () => boolean | Promise<boolean>
  install(note: (text: string) => void): unknown
}
export function runSteps(
  steps: readonly Step[],
  options?: { readonly beatMs?: number; readonly tell?: (line: string) => void },
): Promise<void>
