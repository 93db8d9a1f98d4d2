/**
 * Titles and descriptions of the projects under `examples/`, by folder. Creative plans match on them.
 */
export const exampleWords: Readonly<Record<string, readonly [title: string, words: string]>> = {
  audiogram: [
    'Audiogram',
    'A podcast or song with cover, waveform and captions that follow the words',
  ],
  captions: [
    'Captions',
    'Vertical social reel with animated captions over a picture, word by word',
  ],
  card: ['Card', 'Still card for a blog post or article: photograph, title and author'],
  'chroma-key': ['Chroma key', 'Still: a cut out green screen subject over a landscape'],
  confetti: ['Confetti', 'Transparent celebration film: thank you, order, anniversary, success'],
  countdown: ['Countdown', 'Square countdown timer with a ring for a launch, event or stream'],
  filters: ['Filters', 'Comparison sheet of picture filters: brightness, contrast, hue, blur'],
  'gif-reaction': [
    'Reaction',
    'Vertical chat conversation with a funny reaction GIF for social media',
  ],
  'green-screen': ['Green screen', 'Film of a keyed green screen clip over the sea, with titles'],
  invitations: [
    'Invitation',
    'Still invitation card to a party, wedding or event, personal for each guest',
  ],
  kinetic: ['Motion title', 'Tech intro: animated particles and a title typed by code'],
  'kinetic-text': ['Kinetic text', 'Kinetic typography: bold words to the beat of music, square'],
  launch: [
    'Launch film',
    'Product launch promo for software or an app: titles, code and photographs',
  ],
  'listing-reel': [
    'Listing reel',
    'Vertical real estate tour of a house: rooms, price and address',
  ],
  'many-scripts': [
    'Many scripts',
    'Still welcome card in Arabic, Hebrew, Chinese, Japanese, Hindi and Thai',
  ],
  'picture-in-picture': [
    'Picture in picture',
    'Travel clip with a second small clip in the corner',
  ],
  'price-list': [
    'Price list',
    'Menu board of a café or restaurant: food, drinks and prices, one by one',
  ],
  'product-promo': [
    'Product promotion',
    'Square product advert: offer, sale, discount, price before and now',
  ],
  'quote-card': ['Quote card', 'Still quotation or testimonial of a customer over a photograph'],
  slideshow: ['Slideshow', 'Photo slideshow or memories film with many pictures and music'],
  'speed-ramp': ['Speed ramp', 'Travel or sport clip in slow motion and fast, with a speed sign'],
  sticker: ['Sticker', 'Transparent still: sale badge or discount sticker'],
  transitions: ['Transitions', 'Show reel of every transition between pictures'],
}
