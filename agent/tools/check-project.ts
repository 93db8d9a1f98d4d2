import { FarmApiError } from '../../client/farm-client.ts'
import { requestOf, type Source, sourceShape } from '../source.ts'
import { facts, hints, object, tool } from '../tool.ts'
import { faultLines, priceText } from '../wording.ts'

export const checkProject = tool<Source>({
  name: 'check_project',
  title: 'Check a project and its price',
  description:
    'Every fault by path, warnings, price and length. Free, makes nothing. Then preview_project, then quote_render.',
  hints: hints.reads,
  input: object(sourceShape),
  output: object({ valid: { type: 'boolean' } }),
  async run(source, agent) {
    const request = await requestOf(source, agent)
    try {
      const verdict = await agent.farm.validate(request, { signal: agent.signal })
      const { creditsRequired, creditsMost, exact, duration, warnings } = verdict
      return facts({
        ...{ valid: true, price: priceText(creditsRequired, creditsMost), exact },
        ...{ seconds: duration, warnings: faultLines(warnings) },
      })
    } catch (error) {
      if (!(error instanceof FarmApiError) || error.errors.length === 0) throw error
      if (error.code === 'not_found') throw error
      return facts({
        ...{ valid: false, faults: faultLines(error.errors) },
        next: 'Mend them with edit_draft, or call repair_draft.',
      })
    }
  },
})
