import ipaddr from 'ipaddr.js'

/** Formally public ranges that answer inside clouds (168.63.129.16 is Azure's host), or never. */
const deniedV4 = ['168.63.129.16/32', '192.88.99.0/24', '192.0.0.0/24'].map((range) =>
  ipaddr.IPv4.parseCIDR(range),
)

/**
 * IPv6 prefixes inside 2000::/3 that map to IPv4, a lab or nowhere, beyond those that ipaddr.js
 * calls special.
 */
const deniedV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20'].map((range) =>
  ipaddr.IPv6.parseCIDR(range),
)

const globalUnicastV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * True for a canonical address of the open internet: a dotted quad without leading zeros, or IPv6
 * without brackets and zone. False for private, loopback, link-local and IPv4-mapped addresses, and
 * for invalid ones.
 */
export function isPublicAddress(address: string): boolean {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) {
    const v4 = ipaddr.IPv4.parse(address)
    return (
      v4.toString() === address &&
      v4.range() === 'unicast' &&
      !deniedV4.some((range) => v4.match(range))
    )
  }
  if (!ipaddr.IPv6.isValid(address)) return false
  const v6 = ipaddr.IPv6.parse(address)
  return (
    v6.zoneId === undefined &&
    v6.range() === 'unicast' &&
    v6.match(globalUnicastV6) &&
    !deniedV6.some((range) => v6.match(range)) &&
    !isIsatap(v6.parts)
  )
}

/** True for ISATAP, which carries an IPv4 address in the interface id, after 0000:5efe or 0200:5efe. */
function isIsatap(parts: readonly number[]): boolean {
  return parts[5] === 0x5efe && (parts[4] === 0 || parts[4] === 0x0200)
}
