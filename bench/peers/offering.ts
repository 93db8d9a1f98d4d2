import type { MediaServer } from '../../cli/render/media-server.ts'

/** Returns a function that offers a file at its first call, and gives the same address at each. */
export function addressesBy(server: Pick<MediaServer, 'offer'>): (file: string) => string {
  const addresses = new Map<string, string>()
  return (file) => {
    const known = addresses.get(file) ?? server.offer(file)
    addresses.set(file, known)
    return known
  }
}
