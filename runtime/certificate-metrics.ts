import { X509Certificate } from 'node:crypto'
import { Gauge, type Registry } from 'prom-client'

/**
 * Adds how long the role's own certificate is good for. `certOf` returns it at each scrape (PEM), as nodes
 * renew theirs; undefined: the role has none, and reports nothing.
 */
export function addCertificateLife(registry: Registry, certOf: () => Buffer | undefined): void {
  gauge(registry, certOf, {
    name: 'farm_certificate_left_seconds',
    help: 'Seconds until the certificate that the role shows expires; absent without one',
    secondsOf: ({ validToDate }) => (validToDate.getTime() - Date.now()) / 1000,
  })
  gauge(registry, certOf, {
    name: 'farm_certificate_life_seconds',
    help: 'Seconds for which the certificate that the role shows is good in all; absent without one',
    secondsOf: ({ validFromDate, validToDate }) =>
      (validToDate.getTime() - validFromDate.getTime()) / 1000,
  })
}

function gauge(
  registry: Registry,
  certOf: () => Buffer | undefined,
  made: { name: string; help: string; secondsOf: (certificate: X509Certificate) => number },
): void {
  const { name, help, secondsOf } = made
  new Gauge({
    ...{ name, help, registers: [registry] },
    collect() {
      const cert = certOf()
      // Removed, because a gauge without labels begins with a 0.
      if (cert === undefined) this.remove()
      else this.set(secondsOf(new X509Certificate(cert)))
    },
  })
}
