import { type Static, Type } from 'typebox'

const Spent = Type.Object({
  name: Type.String(),
  label: Type.String({ description: 'Words for it' }),
  seconds: Type.Number(),
  share: Type.Number({ description: '0 to 1' }),
})
export type Spent = Static<typeof Spent>

/** Shows where the time of a job went. */
export const ExplainedTimes = Type.Object({
  seconds: Type.Number({ description: 'Time from its submission to its end, or until now' }),
  stages: Type.Array(Spent, { description: 'Stages in their order; they add up to `seconds`' }),
  steps: Type.Array(Spent, {
    description:
      'Steps of the machines’ work, the longest first. Work at the same time adds up, so that they may exceed `seconds`',
  }),
  againSeconds: Type.Number({
    description: 'Seconds of attempts that ended without a result and were made again',
  }),
  slowFrames: Type.Array(
    Type.Object({
      frame: Type.Integer(),
      second: Type.Union([Type.Number(), Type.Null()], { description: 'Time in the film' }),
      milliseconds: Type.Number(),
      mostly: Type.Enum(['sources', 'paint', 'encode']),
      elements: Type.Array(Type.String(), { description: 'Paths of the elements that it shows' }),
    }),
    { description: 'Pictures that took longest; equal frames are painted once' },
  ),
  slowElements: Type.Array(
    Type.Object({
      field: Type.String({ description: 'Path in the request' }),
      fetchSeconds: Type.Union([Type.Number(), Type.Null()], {
        description: 'Seconds of fetching and checking its file; null where nothing was fetched',
      }),
      slowFrames: Type.Integer({ description: 'Number of `slowFrames` that show it' }),
    }),
  ),
  advice: Type.String(),
})
export type ExplainedTimes = Static<typeof ExplainedTimes>
