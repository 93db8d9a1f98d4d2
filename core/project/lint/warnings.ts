import { defaultCodeSeconds } from '../../visuals/painted/code.ts'
import type { ResolvedVisual } from '../../visuals/resolved.ts'
import { knownLengths } from '../lengths.ts'
import type { ResolvedProject } from '../resolved.ts'
import type { FilledSubtitle } from '../schema/subtitle.ts'
import type { ResolveWork } from '../shared-work.ts'
import { captionBoxes } from './caption-boxes.ts'
import { captionContrast } from './caption-contrast.ts'
import { captionsOffCanvas } from './captions-off-canvas.ts'
import { createCodeSheets } from './code-sheets.ts'
import { covered } from './covered.ts'
import { ignoredLooks } from './ignored-looks.ts'
import { brokenLinks } from './links.ts'
import { lowContrast } from './low-contrast.ts'
import { missingGlyphs } from './missing-glyphs.ts'
import { neverThere } from './never-there.ts'
import { unseenInStill } from './nothing-visible.ts'
import { offCanvas } from './off-canvas.ts'
import { sceneryOf } from './scenery.ts'
import { textSizes } from './text-size.ts'
import { textsOverlap } from './texts-overlap.ts'
import { unknownFonts } from './unknown-fonts.ts'
import { unloadedFiles } from './unloaded-files.ts'
import { eachOnce, type Warning } from './warning.ts'

/**
 * Warns of legal but probably unintended parts of a project, once for all clones of a scene. Words
 * are measured by guess (see typeset.ts), with a tolerance. `subtitle`: as it was given.
 */
export function warningsOf(
  project: ResolvedProject,
  { work, subtitle }: { work: ResolveWork; subtitle?: FilledSubtitle | undefined },
): Warning[] {
  const scenery = sceneryOf(project, work)
  const sheetOf = createCodeSheets(work)
  const boxes = captionBoxes(project)
  const lengths = knownLengths(project)
  const { film, scenes } = lengths
  const snapshotTime = project.type === 'image' ? project.snapshotTime : undefined
  const all = [
    ...project.visuals.flatMap((visual) => ofOneVisual(visual, film, snapshotTime)),
    ...project.scenes.flatMap(({ visuals }, i) =>
      visuals.flatMap((visual) => ofOneVisual(visual, scenes[i])),
    ),
    ...neverThere(project, { lengths, scenery }),
    ...brokenLinks(project.visuals, film),
    ...project.scenes.flatMap(({ visuals }, i) => brokenLinks(visuals, scenes[i])),
    ...(subtitle && project.subtitle ? ignoredLooks(subtitle, project.subtitle) : []),
    ...captionsOffCanvas(project, { boxes, at: captionFields(subtitle) }),
    ...captionContrast(project, { boxes, scenery, lengths, at: captionFields(subtitle) }),
    ...offCanvas(scenery),
    ...covered(project, { scenery, lengths }),
    ...textsOverlap(scenery),
    ...lowContrast(scenery),
    ...textSizes(scenery),
    ...unknownFonts(scenery, sheetOf, captionFont(project, subtitle)),
    ...unloadedFiles(
      [...project.visuals, ...project.scenes.flatMap(({ visuals }) => visuals)],
      sheetOf,
    ),
    ...missingGlyphs(project, sheetOf),
  ]
  return eachOnce(all)
}

/** Fields of captions' looks, in the form that the request has them. */
function captionFields(given?: FilledSubtitle) {
  const at = given?.styles ? 'subtitle.styles' : 'subtitle'
  const active = `${at}.activeWord.color`
  return given?.styles
    ? { size: `${at}.fontSize`, margin: at, font: `${at}.color`, activeWord: active }
    : {
        size: `${at}.font.size`,
        margin: `${at}.margin`,
        font: `${at}.font.color`,
        activeWord: active,
      }
}

function captionFont({ subtitle: resolved }: ResolvedProject, given?: FilledSubtitle) {
  if (!resolved) return undefined
  const field = given?.styles ? 'subtitle.styles.fontFamily' : 'subtitle.font.family'
  return { family: resolved.font.family, field }
}

/**
 * `length`: of its scene or of the film, s; undefined = not known yet. `snapshotTime`: of a still,
 * which shows one moment.
 */
function ofOneVisual(
  visual: ResolvedVisual,
  length = Number.POSITIVE_INFINITY,
  snapshotTime?: number,
): Warning[] {
  const { field, position, enterBegin, enterEnd, exitBegin, exitEnd } = visual
  const warnings: Warning[] = []
  if (position !== 'custom' && (visual.x !== 0 || visual.y !== 0)) {
    const message = `x and y only have an effect when position is custom. Got ${position}.`
    warnings.push({ field, code: 'position_ignored', message })
  }
  if (visual.enterAnimation !== null && enterEnd === enterBegin) {
    const message = `enterAnimation ${visual.enterAnimation} has no time to play: enterBegin and enterEnd are both ${enterEnd}.`
    warnings.push({ field: `${field}.enterAnimation`, code: 'empty_animation', message })
  }
  if (visual.exitAnimation !== null && exitBegin === exitEnd) {
    const both =
      exitEnd === undefined
        ? 'exitBegin and exitEnd are not given'
        : `exitBegin and exitEnd are both ${exitEnd}`
    const message = `exitAnimation ${visual.exitAnimation} has no time to play: ${both}.`
    warnings.push({ field: `${field}.exitAnimation`, code: 'empty_animation', message })
  } else if (visual.exitAnimation !== null && exitBegin !== undefined && exitBegin >= length) {
    const message = `exitAnimation ${visual.exitAnimation} has no time to play: it begins at ${exitBegin}, but the end is at ${length}.`
    warnings.push({ field: `${field}.exitAnimation`, code: 'empty_animation', message })
  }
  const gone = Math.min(exitEnd ?? length, length)
  const unseen = snapshotTime === undefined ? undefined : unseenInStill(visual, snapshotTime)
  if (unseen) warnings.push({ field, code: 'never_visible', message: unseen })
  else if (gone <= enterBegin) {
    const message = `The element is never visible: it leaves at ${gone}, but enters at ${enterBegin}.`
    warnings.push({ field, code: 'never_visible', message })
  } else warnings.push(...cutShort(visual, gone - enterBegin))
  return warnings
}

/** Warns of code that still moves when its element is gone; the default duration does not count. */
function cutShort(visual: ResolvedVisual, seconds: number): Warning[] {
  const moves = 'code' in visual ? visual.code.duration : defaultCodeSeconds
  if (moves === defaultCodeSeconds || moves <= seconds) return []
  const seen = Math.round(seconds * 1000) / 1000
  const message = `customCode runs for ${moves} s, but the element is visible for ${seen} s.`
  const field = `${visual.field}.customCode.animationDuration`
  return [{ field, code: 'animation_cut_short', message }]
}
