export function cacheDir(): string
export function cacheBinDir(): string
export function ownFfmpegDir(): string
export function ownFfmpeg(): string | undefined
export function isProgram(path: string): boolean
export function onPath(...names: string[]): string | undefined
export function findProgram(name: string): string | undefined
