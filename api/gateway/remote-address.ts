import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'

/**
 * Returns the address that a request came from: its connection's, or behind FARM_TRUSTED_PROXIES
 * the one that the last trusted proxy names. A name in place of an address counts as the
 * connection's.
 */
export function addressOf(request: FastifyRequest): string {
  const address = isIP(request.ip) === 0 ? request.socket.remoteAddress : request.ip
  return readAddress(address) ?? 'unknown'
}

/** Returns an address in its usual spelling, IPv4 without `::ffff:`; undefined: it is none. */
export function readAddress(address: string | undefined): string | undefined {
  if (address === undefined || isIP(address) === 0) return undefined
  return ipaddr.process(address).toString()
}

/**
 * Returns the part of an address that counts as one caller: an IPv6 address stands for its whole
 * /64.
 */
export function neighbourhoodOf(request: FastifyRequest): string {
  const address = addressOf(request)
  if (isIP(address) !== 6) return address
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address}/64`)}/64`
}
