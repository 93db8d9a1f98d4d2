import { join } from 'node:path'
import { startMediaServer } from '../cli/render/media-server.ts'
import { measureFilm } from './measure-film.ts'
import { startWarmFarm } from './warm-farm.ts'

const seconds = 12
const frameRate = 30
const media = join(import.meta.dirname, '..', 'examples', 'launch', 'media')
const photos = ['dawn', 'dunes', 'night', 'rows']
const transitions = ['fade', 'slideleft', 'circleopen', 'smoothup', 'wipeleft']

/**
 * Measures two films as customers send them, through a warm farm: zoomed photographs with scene
 * transitions at 1920x1080, and a reel full of text at 1080x1920. Each run differs in every frame,
 * so that nothing is reused; the photographs are fetched anew.
 */
export async function benchReels(repeats: number): Promise<void> {
  const server = await startMediaServer()
  const urls = photos.map((name) => server.offer(join(media, `${name}.jpg`)))
  const farm = await startWarmFarm({ trustedHosts: server.host })
  try {
    await farm.render(photographs(urls, 99))
    const measured = { frames: seconds * frameRate, repeats }
    const zoomed = (run: number) => photographs(urls, run)
    await measureFilm(farm, { ...measured, title: 'Zoomed photographs, 1920x1080', film: zoomed })
    await measureFilm(farm, { ...measured, title: 'Text-heavy reel, 1080x1920', film: text })
  } finally {
    await farm.stop()
    server.close()
  }
}

function photographs(urls: readonly string[], run: number) {
  const scenes = 6
  const transitionDuration = 0.6
  return {
    width: 1920,
    height: 1080,
    frameRate,
    scenes: Array.from({ length: scenes }, (_, n) => ({
      duration: (seconds + (scenes - 1) * transitionDuration) / scenes,
      transition: transitions[n % transitions.length],
      transitionDuration: n === scenes - 1 ? 0 : transitionDuration,
      visuals: [
        {
          type: 'IMAGE',
          src: urls[n % urls.length],
          resize: 'cover',
          width: 1920,
          height: 1080,
          zoom: { depth: 1.15 + run / 100 },
        },
      ],
    })),
  }
}

function text(run: number) {
  const scenes = 6
  const line = (scene: number, n: number) => ({
    type: 'TEXT',
    html: `<div style="width:900px;font-family:'Manrope';font-weight:700;font-size:${44 + n * 6}px;line-height:1.15;color:#fff6ea">Run ${run}, scene ${scene}, line ${n}: the field does not hurry</div>`,
    x: 90,
    y: 240 + n * 210,
    track: n + 1,
    enterBegin: 0.1 * n,
    enterEnd: 0.1 * n + 0.4,
    enterAnimation: ['fade', 'slideright', 'wiperight', 'smoothup'][n % 4],
  })
  return {
    width: 1080,
    height: 1920,
    frameRate,
    backgroundColor: '#1b1430',
    scenes: Array.from({ length: scenes }, (_, n) => ({
      duration: seconds / scenes,
      transitionDuration: 0,
      backgroundColor: ['#1b1430', '#14302a', '#301a14'][n % 3],
      visuals: Array.from({ length: 7 }, (_, at) => line(n, at)),
    })),
  }
}
