type Prompt = {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly argument: string
  readonly text: (given: string) => string
}

const way =
  'Begin with find_examples, save a draft, edit it, check it, quote it, and show me the price before you render.'

/** Prompts that people choose in their host. */
export const prompts: readonly Prompt[] = [
  {
    name: 'promo',
    title: 'Promotional film',
    description: 'A short film about a product or an event',
    argument: 'subject',
    text: (subject) => `Make a promotional film of 10 to 20 seconds about: ${subject}\n${way}`,
  },
  {
    name: 'social_reel',
    title: 'Reel for social media',
    description: 'An upright film of 15 seconds with captions',
    argument: 'subject',
    text: (subject) =>
      `Make an upright film (1080x1920) of at most 15 seconds with large captions about: ${subject}\n${way}`,
  },
  {
    name: 'thumbnail',
    title: 'Thumbnail',
    description: 'A still picture for a film or a page',
    argument: 'subject',
    text: (subject) =>
      `Make a still picture of 1280x720 that makes people look, about: ${subject}\n${way}`,
  },
  {
    name: 'bulk_from_table',
    title: 'Many films from a table',
    description: 'One template, a film for each row',
    argument: 'table',
    text: (table) =>
      `Make one template with variables named as the columns of this table, and quote a film for each row with quote_bulk. Show me one row and the price before you render.\n\n${table}`,
  },
]
