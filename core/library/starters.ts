/** A small request to begin with, one for each common use of the service. It names no media. */

export type Starter = {
  readonly name: string
  readonly title: string
  readonly description: string
  /** Body of a submission. */
  readonly request: Readonly<Record<string, unknown>> & {
    readonly payload: Readonly<Record<string, unknown>>
  }
}

const heading = (html: string, color = '#ffffff') => ({
  ...{ type: 'TEXT', html, position: 'center-center', width: 1000 },
  style: { color, fontFamily: 'Sora', fontSize: '80px', fontWeight: '700', textAlign: 'center' },
  ...{ enterBegin: 0, enterEnd: 0.5, enterAnimation: 'slideup' },
})

const scene = (id: string, html: string, backgroundColor: string) => ({
  ...{ id, duration: 3, transition: 'fade', transitionDuration: 0.5, backgroundColor },
  visuals: [heading(html)],
})

const still = ({ enterBegin: _, enterEnd: __, enterAnimation: ___, ...visual }: Fields) => visual
type Fields = ReturnType<typeof heading>

export const starters: readonly Starter[] = [
  {
    name: 'promo-video',
    title: 'Promotional film',
    description: 'Three scenes: the subject, its benefit, and a call to action',
    request: {
      payload: {
        ...{ name: 'promo-video', resolution: 'hd', frameRate: 30 },
        scenes: [
          scene('hook', 'Mornings, without the rush', '#101828'),
          scene('value', 'Breakfast for the week in an hour', '#7a2e0e'),
          scene('action', 'Try it today', '#1d2939'),
        ],
      },
    },
  },
  {
    name: 'template-render',
    title: 'Template with variables',
    description: 'One design with changing words: `variables` fill its placeholders',
    request: {
      payload: {
        ...{ name: 'template-render', resolution: 'squared', backgroundColor: '{{ background }}' },
        variables: { name: 'Ada', background: '#101828' },
        scenes: [{ id: 'card', duration: 4, visuals: [heading('Welcome, {{ name }}')] }],
      },
      variables: { name: 'Grace' },
    },
  },
  {
    name: 'still-image',
    title: 'Still',
    description: 'A picture with a transparent background',
    request: {
      payload: {
        ...{ type: 'image', name: 'still-image', resolution: 'squared', outputFormat: 'png' },
        transparent: true,
        visuals: [still(heading('Hello', '#c2410c'))],
      },
    },
  },
  {
    name: 'subtitles',
    title: 'Captions',
    description: 'Captions that highlight one word after the other',
    request: {
      payload: {
        ...{ name: 'subtitles', resolution: 'instagram-reel', duration: 5 },
        backgroundColor: '#101828',
        subtitle: {
          captions: [
            { start: 0, end: 2.4, text: 'Every word is shown' },
            { start: 2.4, end: 4.8, text: 'when it is spoken' },
          ],
          ...{ animation: 'karaoke', position: 'center-center' },
          ...{ font: { size: 90, color: '#ffffff' }, activeWord: { color: '#ffb48a' } },
        },
      },
    },
  },
  {
    name: 'webhook-flow',
    title: 'Render with a callback',
    description: 'The service posts to `webhookUrl` when the job has ended',
    request: {
      payload: {
        ...{ name: 'webhook-flow', resolution: 'hd', duration: 3, backgroundColor: '#101828' },
        visuals: [heading('Done soon')],
      },
      webhookUrl: 'https://example.com/hooks/render',
    },
  },
]
