import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import type { Env } from '../env.ts'

/**
 * Creates the sampler of OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG. As OpenTelemetry
 * requires, an unknown value is reported and ignored: every trace is kept.
 */
export function samplerOf(env: Env, trouble: (what: unknown) => void): Sampler {
  const name = env.OTEL_TRACES_SAMPLER || 'parentbased_always_on'
  const [, parentBased, rule] =
    /^(parentbased_)?(always_on|always_off|traceidratio)$/.exec(name) ?? []
  if (rule === undefined) trouble(`OTEL_TRACES_SAMPLER must be a known one. Got ${name}`)
  const root = rootOf(rule, () => ratioOf(env, trouble))
  return parentBased === undefined && rule !== undefined ? root : new ParentBasedSampler({ root })
}

function rootOf(rule: string | undefined, ratio: () => number): Sampler {
  if (rule === 'always_off') return new AlwaysOffSampler()
  if (rule === 'traceidratio') return new TraceIdRatioBasedSampler(ratio())
  return new AlwaysOnSampler()
}

function ratioOf({ OTEL_TRACES_SAMPLER_ARG: text }: Env, trouble: (what: unknown) => void): number {
  const ratio = Number(text || 1)
  if (ratio >= 0 && ratio <= 1) return ratio
  trouble(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1. Got ${text}`)
  return 1
}
