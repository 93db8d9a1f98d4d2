export function isOwnFfmpegOld(): Promise<boolean>
