import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'

export const chart = fileURLToPath(new URL('../../deploy/chart', import.meta.url))

export type Values = { [name: string]: Values | Values[] | string | number | boolean }

const read = (file: string) => parse(readFileSync(`${chart}/${file}`, 'utf8')) as Values

/** Names of the installations that the tests render, each a file of values. */
export const installations = readdirSync(`${chart}/ci`).map((file) => file.replace('.yaml', ''))

/** Values of an installation over the chart's own, as Helm lays them. */
export function valuesOf(name: string): Values {
  return overlay(read('values.yaml'), read(`ci/${name}.yaml`))
}

function overlay(base: Values, over: Values): Values {
  const merged = { ...base }
  for (const [name, value] of Object.entries(over)) {
    const below = merged[name]
    merged[name] = isTable(below) && isTable(value) ? overlay(below, value) : value
  }
  return merged
}

function isTable(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Values that the schema refuses: the place that the refusal names, and what is set there. */
export const refused: readonly { readonly at: string; readonly set: string }[] = [
  { at: 'publicUrl', set: 'publicUrl=films.example.com' },
  { at: 'secret', set: 'secret=' },
  { at: 'databaseConnections', set: 'databaseConnections=0' },
  { at: 'image/pullPolicy', set: 'image.pullPolicy=Sometimes' },
  { at: 'temporal/address', set: 'temporal.address=https://temporal' },
  { at: 'api/replicas', set: 'api.replicas=0' },
  { at: 'api/autoscaling', set: 'api.autoscaling.maximum=3' },
  { at: 'scheduler/enrolment/secret', set: 'scheduler.enrolment.secret=Farm_1' },
  { at: 'scheduler/enrolment/ca', set: 'scheduler.enrolment.ca=certs/ca.pem' },
  { at: 'scheduler/enrolment/issuer', set: 'scheduler.enrolment.issuer=the-cluster' },
  { at: 'scheduler/enrolment/jwks', set: 'scheduler.enrolment.jwks=jwks.json' },
  { at: 'scheduler/enrolment/jwksUrl', set: 'scheduler.enrolment.jwksUrl=http://keys' },
  { at: 'scheduler/enrolment', set: 'scheduler.enrolment.accounts=all' },
  { at: 'scheduler/scaler/port', set: 'scheduler.scaler.port=0' },
  { at: 'workers/seccompProfile', set: 'workers.seccompProfile=unconfined' },
  { at: 'pools/0/name', set: 'pools[0].name=Blue_1' },
  { at: 'pools/0/kinds/0', set: 'pools[0].kinds={paint}' },
  { at: 'pools/0/resources/limits/memory', set: 'pools[0].resources.limits.memory=4 GB' },
  { at: 'networkPolicies/store', set: 'networkPolicies.store=anywhere' },
]
