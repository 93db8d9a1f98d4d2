import type { ResolvedVisual } from '../visuals/resolved.ts'
import type { Anchor, VisualBase } from '../visuals/visual-base.ts'
import type { KnownPictures } from '../visuals/visual-type.ts'
import { visualTypeOf } from '../visuals/visual-types.ts'
import { longColor, normalizeSubtitle } from './normalize-subtitle.ts'
import type { Settings } from './overrides.ts'
import type { ResolvedAudio, ResolvedProject, ResolvedScene } from './resolved.ts'
import { defaultTransitionSeconds } from './schema/names.ts'
import type {
  FilledAudio,
  FilledImageProject,
  FilledScene,
  FilledVideoProject,
} from './schema/project.ts'
import type { FilledOf, VisualKind } from './schema/visuals.ts'

/** Writes out the defaults of a filled tree that passed all rules. */

type Known = KnownPictures & {
  /** Places of items in the request as sent. */
  readonly origin: ReadonlyMap<object, string>
}

const defaultFrameRate = 30
const defaultQuality = 90

export function normalize({ payload }: Settings, known: Known): ResolvedProject {
  // The schema has been checked against this very tree.
  const project = payload as (FilledVideoProject | FilledImageProject) & {
    width: number
    height: number
  }
  const { name = 'unnamed', width, height } = project
  const backgroundColor = longColor(project.backgroundColor ?? '#ffffff')
  const visuals = normalizeVisuals(project.visuals, 'visuals', known)
  const shared = { name, width, height, backgroundColor, visuals }
  if (project.type === 'image') {
    return {
      ...shared,
      type: 'image',
      frameRate: 1,
      durationMode: 'legacy',
      outputFormat: project.outputFormat ?? 'png',
      snapshotTime: project.snapshotTime ?? 0,
      quality: project.quality ?? defaultQuality,
      transparent: project.transparent ?? false,
      audios: [],
      scenes: [],
    }
  }
  return {
    ...shared,
    type: 'video',
    frameRate: project.frameRate ?? defaultFrameRate,
    ...(project.duration !== undefined && { duration: project.duration }),
    durationMode: project.durationMode ?? 'legacy',
    outputFormat: project.outputFormat ?? 'mp4',
    ...(project.thumbnail !== undefined && { thumbnail: project.thumbnail }),
    snapshotTime: 0,
    quality: defaultQuality,
    transparent: false,
    audios: normalizeAudios(project.audios, 'audios', known),
    scenes: normalizeScenes(project.scenes ?? [], backgroundColor, known),
    ...(project.subtitle && { subtitle: normalizeSubtitle(project.subtitle, project) }),
  }
}

function normalizeScenes(
  scenes: readonly FilledScene[],
  backgroundColor: string,
  known: Known,
): ResolvedScene[] {
  return scenes.map((scene, i) => {
    const field = known.origin.get(scene) ?? `scenes[${i}]`
    const next = scenes[i + 1]
    const linked = scene.transitionId === undefined || scene.transitionId === next?.id
    return {
      field,
      id: scene.id ?? '',
      ...(scene.duration !== undefined && scene.duration !== -1 && { duration: scene.duration }),
      transition: linked ? (scene.transition ?? null) : null,
      transitionDuration: scene.transitionDuration ?? defaultTransitionSeconds,
      backgroundColor: scene.backgroundColor ? longColor(scene.backgroundColor) : backgroundColor,
      visuals: normalizeVisuals(scene.visuals, `${field}.visuals`, known),
      audios: normalizeAudios(scene.audios, `${field}.audios`, known),
    }
  })
}

function normalizeVisuals(
  visuals: readonly FilledOf<VisualKind>[] = [],
  path: string,
  known: Known,
): ResolvedVisual[] {
  return visuals.map((visual, i) => {
    const field = known.origin.get(visual) ?? `${path}[${i}]`
    return normalizeVisual(visual, field, known)
  })
}

function normalizeVisual(
  visual: FilledOf<VisualKind>,
  field: string,
  known: Known,
): ResolvedVisual {
  return visualTypeOf(visual).normalize(visual, normalizeBase(visual, field), known)
}

function normalizeBase(visual: FilledOf<VisualKind>, field: string): VisualBase {
  const position = visual.position ?? 'custom'
  const { exitBegin = visual.exitEnd, exitEnd } = visual
  const enterBegin = visual.enterBegin ?? 0
  return {
    field,
    x: visual.x ?? 0,
    y: visual.y ?? 0,
    ...(visual.width !== undefined && { width: visual.width }),
    ...(visual.height !== undefined && { height: visual.height }),
    position,
    anchor: anchorOf(visual.anchor) ?? anchorOf(position) ?? 'top-left',
    ...(visual.resize !== undefined && { resize: visual.resize }),
    enterBegin,
    // Defaults to no animation: it must not end before it begins.
    enterEnd: visual.enterEnd ?? enterBegin,
    ...(exitBegin !== undefined && { exitBegin }),
    ...(exitEnd !== undefined && { exitEnd }),
    opacity: visual.opacity ?? 1,
    angle: visual.angle ?? 0,
    flipV: visual.flipV ?? false,
    flipH: visual.flipH ?? false,
    track: visual.track ?? 0,
    enterAnimation: visual.enterAnimation ?? null,
    exitAnimation: visual.exitAnimation ?? null,
  }
}

function anchorOf(name: Anchor | 'custom' | undefined): Anchor | undefined {
  return name === 'custom' ? undefined : name
}

function normalizeAudios(
  audios: readonly FilledAudio[] = [],
  path: string,
  known: Known,
): ResolvedAudio[] {
  return audios.map((audio, i) => ({
    field: known.origin.get(audio) ?? `${path}[${i}]`,
    src: audio.src,
    enter: audio.enter ?? 0,
    ...(audio.exit !== undefined && { exit: audio.exit }),
    matchDuration: audio.matchDuration ?? false,
    volume: audio.volume ?? 1,
    speed: audio.speed ?? 1,
    audioBegin: audio.audioBegin ?? 0,
    ...(audio.audioEnd !== undefined && { audioEnd: audio.audioEnd }),
    ...(audio.audioDuration !== undefined && { audioDuration: audio.audioDuration }),
    track: audio.track ?? 0,
  }))
}
