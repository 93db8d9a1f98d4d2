import { createCanvas } from '@napi-rs/canvas'

/**
 * A 320x180 film of 6 s with everything that could depend on its cuts: a zooming photograph, scene
 * and element transitions, text, an SVG, sound.
 */
export function filmOf(at: (name: string) => string, name = 'cut test') {
  const text = (html: string, more: object) => ({ type: 'TEXT', html, ...more })
  return {
    name,
    width: 320,
    height: 180,
    frameRate: 30,
    backgroundColor: '#101820',
    audios: [{ src: at('sound.wav'), volume: 0.8, matchDuration: true }],
    visuals: [
      text('<b style="color:#fff;font-size:24px">Always here</b>', { x: 10, y: 10, track: 9 }),
    ],
    scenes: [
      {
        id: 'a',
        duration: 3,
        transition: 'smoothleft',
        transitionDuration: 0.5,
        visuals: [
          { type: 'IMAGE', src: at('photo.png'), resize: 'cover', zoom: { depth: 1.3 } },
          text('<i style="color:#ffd">slides in</i>', {
            position: 'center-center',
            enterBegin: 0.5,
            enterEnd: 1.2,
            enterAnimation: 'slideleft',
          }),
        ],
      },
      {
        id: 'b',
        duration: 3.5,
        backgroundColor: '#204060',
        visuals: [
          {
            type: 'SVG',
            svg: '<svg xmlns="http://www.w3.org/2000/svg" width="120" height="120"><circle cx="60" cy="60" r="50" fill="#f60"/></svg>',
            position: 'center-center',
            angle: 20,
            exitBegin: 2,
            exitEnd: 3,
            exitAnimation: 'circleclose',
          },
          {
            type: 'IMAGE',
            src: at('photo.png'),
            x: 200,
            y: 90,
            width: 100,
            radius: { tl: 20, tr: 20, bl: 20, br: 20 },
            enterEnd: 1,
            enterAnimation: 'fade',
            filter: { saturate: -50 },
          },
        ],
      },
    ],
  }
}

/** Media of `filmOf`: a textured photograph and three seconds of a 440 Hz sine. */
export async function mediaFiles(): Promise<Record<string, Buffer>> {
  const canvas = createCanvas(640, 400)
  const context = canvas.getContext('2d')
  const pixels = context.createImageData(640, 400)
  for (let i = 0; i < pixels.data.length; i += 4) {
    const x = (i / 4) % 640
    const y = Math.floor(i / 4 / 640)
    pixels.data.set([(x * 3) & 255, (y * 5) & 255, ((x >> 3) * (y >> 3) * 7) & 255, 255], i)
  }
  context.putImageData(pixels, 0, 0)
  return { 'photo.png': await canvas.encode('png'), 'sound.wav': sine(440, 3) }
}

/** A 48 kHz mono 16-bit WAV of a sine at half of full scale. */
function sine(hertz: number, seconds: number): Buffer {
  const samples = 48_000 * seconds
  const wav = Buffer.alloc(44 + samples * 2)
  wav.write('RIFF', 0)
  wav.writeUInt32LE(36 + samples * 2, 4)
  wav.write('WAVEfmt ', 8)
  wav.writeUInt32LE(16, 16)
  wav.writeUInt16LE(1, 20)
  wav.writeUInt16LE(1, 22)
  wav.writeUInt32LE(48_000, 24)
  wav.writeUInt32LE(96_000, 28)
  wav.writeUInt16LE(2, 32)
  wav.writeUInt16LE(16, 34)
  wav.write('data', 36)
  wav.writeUInt32LE(samples * 2, 40)
  for (let i = 0; i < samples; i += 1) {
    wav.writeInt16LE(Math.round(16_383 * Math.sin((2 * Math.PI * hertz * i) / 48_000)), 44 + 2 * i)
  }
  return wav
}
