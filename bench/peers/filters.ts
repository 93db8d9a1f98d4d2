/** Filters of ffmpeg that several workloads write by hand. */

/** Holds the first frame for ever, at 30 frames a second. */
export const heldStill = 'loop=-1:1:0,setpts=N/30/TB'

/** Returns the alpha of a box with round corners as an expression for `geq`, `most` within. */
export function roundedBox(radius: number, most: number): string {
  const beyond = (at: string, side: string) => `max(abs(${at}-${side}/2+0.5)-${side}/2+${radius},0)`
  return `${most}*clip(${radius}+0.5-hypot(${beyond('X', 'W')},${beyond('Y', 'H')}),0,1)`
}

/** Covers the size by a photograph that zooms by 15 % in so many frames. */
export function zoomed(width: number, height: number, frames: number): string {
  return [
    `scale=${width}:${height}:force_original_aspect_ratio=increase,crop=${width}:${height},format=yuv420p`,
    `zoompan=z='1+0.15*on/${frames}':x='iw/2-iw/zoom/2':y='ih/2-ih/zoom/2':d=${frames}:s=${width}x${height}:fps=30`,
    'setsar=1',
  ].join(',')
}
