/**
 * A WebM of `hours`, without a length in its header, of packets of 3 bytes: Opus silence, or
 * unchanging VP8 pictures.
 */
export function endlessWebm(hours: number, track: 'silence' | 'still'): Buffer {
  const stepMs = track === 'silence' ? 20 : 40
  const packet = track === 'silence' ? opusSilence : vp8Unchanged
  const blocks = Array.from({ length: blocksInCluster }, (_, i) => block(i * stepMs, packet))
  const cluster = Buffer.concat(blocks)
  const clusters: Buffer[] = []
  for (let ms = 0; ms < hours * 3_600_000; ms += blocksInCluster * stepMs) {
    clusters.push(element('1f43b675', element('e7', number(ms)), cluster))
  }
  const info = element('1549a966', element('2ad7b1', number(1_000_000)))
  const tracks = element('1654ae6b', track === 'silence' ? opusTrack() : vp8Track())
  const head = element('1a45dfa3', element('4282', Buffer.from('webm')))
  return Buffer.concat([head, endless('18538067'), info, tracks, ...clusters])
}

const blocksInCluster = 750
const opusSilence = Buffer.from('f8fffe', 'hex')
/** A frame between key frames, with a truncated partition: it is never decoded here. */
const vp8Unchanged = Buffer.from('110000', 'hex')

function opusTrack(): Buffer {
  const head = Buffer.from('4f707573486561640101000080bb0000000000', 'hex')
  return trackOf(2, 'A_OPUS', element('63a2', head), element('e1', element('b5', double(48_000))))
}

function vp8Track(): Buffer {
  return trackOf(1, 'V_VP8', element('e0', element('b0', number(16)), element('ba', number(16))))
}

function trackOf(type: 1 | 2, codec: string, ...more: Buffer[]): Buffer {
  const ids = [element('d7', number(1)), element('73c5', number(1)), element('83', number(type))]
  return element('ae', ...ids, element('86', Buffer.from(codec)), ...more)
}

/** A SimpleBlock of track 1; the time counts from its cluster's. */
function block(ms: number, packet: Buffer): Buffer {
  const head = Buffer.from([0x81, 0, 0, 0x80])
  head.writeInt16BE(ms, 1)
  return element('a3', head, packet)
}

function element(id: string, ...inside: Buffer[]): Buffer {
  const length = inside.reduce((sum, { length }) => sum + length, 0)
  const size = Buffer.alloc(4)
  size.writeUInt32BE(length | 0x1000_0000)
  return Buffer.concat([Buffer.from(id, 'hex'), size, ...inside])
}

function endless(id: string): Buffer {
  return Buffer.from(`${id}01ffffffffffffff`, 'hex')
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function double(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return bytes
}
