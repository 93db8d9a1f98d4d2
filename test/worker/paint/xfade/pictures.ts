import { badge, premultiplied, texture } from '../textures.ts'

export const frame = { width: 160, height: 90 }

/** Odd sizes: xfade rounds to whole pixels. */
export const element = { x: 37, y: 5, width: 71, height: 79 }

export const pictures = {
  from: texture(frame.width, frame.height, 1),
  to: texture(frame.width, frame.height, 2),
  element: badge(element.width, element.height, 3),
}

const full = premultiplied(pictures.element)
const none = new Uint8Array(full.length)
const { width, height } = element

/**
 * Inputs of xfade. It treats every channel alike, so premultiplied pixels come back premultiplied.
 */
export const inputs = {
  scenes: { from: pictures.from.rgba, to: pictures.to.rgba, ...frame },
  enter: { from: none, to: full, width, height },
  exit: { from: full, to: none, width, height },
}

/** `scenes`: one opaque picture becomes another; `enter`, `exit`: an element comes and goes. */
export type Way = keyof typeof inputs
export const ways = ['scenes', 'enter', 'exit'] as const
