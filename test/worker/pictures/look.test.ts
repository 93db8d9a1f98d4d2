import test from 'ava'
import sharp from 'sharp'
import { studioFor } from './studio.ts'
const shoot = studioFor(test)
test('look', async (t) => {
  for (const animation of ['normal','one-word','karaoke','progressive','highlight','fill','pop','bounce','fade','slide','typewriter']) {
    const shots = []
    for (const frame of [2, 8, 18, 23]) {
      const s = await shoot({ frame, payload: { width: 480, height: 200, duration: 2, frameRate: 30, backgroundColor: '#336699',
        subtitle: { captions: [{ start: 0, end: 1, text: 'Hello jumping wörld of captions fly' }], animation, position: 'center', font: { size: 44, bold: true }, stroke: { width: 3 }, ...(animation === 'slide' ? {background: {padding: 10, radius: 12, opacity: 0.5}} : {}) } } })
      shots.push(await sharp(s.rgba, { raw: { width: 480, height: 200, channels: 4 } }).png().toBuffer())
    }
    await sharp({ create: { width: 960, height: 400, channels: 3, background: '#000' } }).composite(shots.map((input, i) => ({ input, left: (i % 2) * 480, top: i > 1 ? 200 : 0 }))).png().toFile(`/tmp/h-sub/out/${animation}.png`)
  }
  t.pass()
})
