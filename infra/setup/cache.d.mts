export function cacheDir(): string
export function cacheBinDir(): string
export function onPath(...names: string[]): string | undefined
export function findProgram(name: string): string | undefined
