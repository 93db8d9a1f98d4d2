import type { FastifyRequest } from 'fastify'
import ipaddr from 'ipaddr.js'
import { FarmError } from '../../core/errors.ts'
import { addressOf } from '../gateway/remote-address.ts'

/** Refuses what only the person at this machine may do. @throws FarmError forbidden */
export function expectLoopback(request: FastifyRequest, publicUrl: string): void {
  const from = addressOf(request)
  if (isLoopbackUrl(publicUrl) && isLoopbackAddress(from)) return
  const rule =
    'A one-time code must be used on the machine of the farm, whose FARM_PUBLIC_URL is a loopback address'
  throw new FarmError('forbidden', `${rule}. Got ${publicUrl}, asked from ${from}`)
}

function isLoopbackUrl(url: string): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  return host === 'localhost' || isLoopbackAddress(host)
}

function isLoopbackAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'
}
