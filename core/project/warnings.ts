import type { ResolvedProject, ResolvedVisual } from './resolved.ts'

/** Something legal that is probably not meant. */
export type Warning = {
  readonly field: string
  readonly code: 'position_ignored' | 'empty_animation' | 'never_visible'
  readonly message: string
}

export function warningsOf(project: ResolvedProject): Warning[] {
  return [project, ...project.scenes].flatMap(({ visuals }) => visuals.flatMap(warningsOfVisual))
}

function warningsOfVisual(visual: ResolvedVisual): Warning[] {
  const { field, position, enterBegin, enterEnd, exitBegin, exitEnd } = visual
  const warnings: Warning[] = []
  if (position !== 'custom' && (visual.x !== 0 || visual.y !== 0)) {
    const message = `x and y only count when position is custom. It is ${position}.`
    warnings.push({ field, code: 'position_ignored', message })
  }
  if (visual.enterAnimation !== null && enterEnd === enterBegin) {
    const message = `enterAnimation ${visual.enterAnimation} plays from enterBegin to enterEnd, both ${enterEnd}.`
    warnings.push({ field: `${field}.enterAnimation`, code: 'empty_animation', message })
  }
  if (visual.exitAnimation !== null && exitBegin === exitEnd) {
    const both = exitEnd === undefined ? 'neither is given' : `both ${exitEnd}`
    const message = `exitAnimation ${visual.exitAnimation} plays from exitBegin to exitEnd, ${both}.`
    warnings.push({ field: `${field}.exitAnimation`, code: 'empty_animation', message })
  }
  if (exitEnd !== undefined && exitEnd <= enterBegin) {
    const message = `The element is never seen: it is gone at ${exitEnd}, but enters at ${enterBegin}.`
    warnings.push({ field, code: 'never_visible', message })
  }
  return warnings
}
