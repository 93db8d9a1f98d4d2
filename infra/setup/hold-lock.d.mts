export function withLock<T>(
  file: string,
  work: () => Promise<T>,
  options?: { readonly onWait?: () => void },
): Promise<T>
export function isHeld(file: string): boolean
