import { type Preset, presets } from './schema/names.ts'
import type { RenderOverrides } from './schema/request.ts'

/** The project's own settings with the overrides applied, and the source of each. */
export type Settings = {
  readonly payload: Readonly<Record<string, unknown>>
  /** Returns the path of a setting in the request as sent. */
  fieldOf(key: string): string
}

const defaultWidth = 1280
const defaultHeight = 720

/**
 * Applies overrides after the variables. A preset decides width and height; overriding either of
 * them makes the resolution `custom`, unless `resolution` is overridden too.
 */
export function applyOverrides(
  payload: Readonly<Record<string, unknown>>,
  overrides: RenderOverrides = {},
): Settings {
  const base = overrides.resolution === undefined ? withPreset(payload) : payload
  const resized = overrides.width !== undefined || overrides.height !== undefined
  const resolution = overrides.resolution ?? (resized ? 'custom' : base.resolution)
  const merged = withPreset({ ...base, ...overrides, resolution: resolution ?? 'custom' })
  return {
    payload: {
      ...merged,
      width: merged.width ?? defaultWidth,
      height: merged.height ?? defaultHeight,
    },
    fieldOf: (key) => (Object.hasOwn(overrides, key) ? `overrides.${key}` : key),
  }
}

function withPreset(payload: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { resolution } = payload
  if (typeof resolution !== 'string' || !Object.hasOwn(presets, resolution)) return payload
  const [width, height] = presets[resolution as Preset]
  return { ...payload, width, height }
}
