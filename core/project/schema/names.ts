/** Names of the language, as in the interface. */

export const animationNames = [
  ...['fade', 'fadeblack', 'fadewhite', 'distance'],
  ...['wipeleft', 'wiperight', 'wipeup', 'wipedown'],
  ...['slideleft', 'slideright', 'slideup', 'slidedown'],
  ...['smoothleft', 'smoothright', 'smoothup', 'smoothdown'],
  ...['circlecrop', 'rectcrop', 'circleclose', 'circleopen'],
  ...['horzclose', 'horzopen', 'vertclose', 'vertopen'],
  ...['diagbl', 'diagbr', 'diagtl', 'diagtr', 'hlslice', 'hrslice', 'vuslice', 'vdslice'],
  ...['dissolve', 'pixelize', 'radial', 'hblur', 'wipetl', 'wipetr', 'wipebl', 'wipebr'],
  ...['fadegrays', 'zoomin', 'hlwind', 'hrwind', 'squeezeh', 'squeezev'],
  ...['fadefast', 'fadeslow', 'vuwind', 'vdwind'],
  ...['coverleft', 'coverright', 'coverup', 'coverdown'],
  ...['revealleft', 'revealright', 'revealup', 'revealdown'],
]

export const anchors = [
  'top-left',
  'top-center',
  'top-right',
  'center-left',
  'center-center',
  'center-right',
  'bottom-right',
  'bottom-center',
  'bottom-left',
] as const

export const positions = [...anchors, 'custom'] as const

export const videoFormats = ['mp4', 'mov', 'avi', 'webm'] as const
export const imageFormats = ['png', 'jpg', 'jpeg', 'webp'] as const

/** Width and height in px of each resolution preset. `custom` has none: width and height count. */
export const presets = {
  sd: [640, 480],
  hd: [1280, 720],
  'full-hd': [1920, 1080],
  squared: [1080, 1080],
  'youtube-short': [1080, 1920],
  'youtube-video': [1920, 1080],
  tiktok: [1080, 1920],
  'instagram-reel': [1080, 1920],
  'instagram-post': [1080, 1080],
  'instagram-story': [1080, 1920],
  'instagram-feed': [1080, 1080],
  'twitter-landscape': [1200, 675],
  'twitter-portrait': [1080, 1350],
  'twitter-square': [1080, 1080],
  'facebook-video': [1080, 1920],
  'facebook-story': [1080, 1920],
  'facebook-post': [1080, 1080],
  snapchat: [1080, 1920],
} as const satisfies Record<string, readonly [width: number, height: number]>

export type Preset = keyof typeof presets
export const resolutions = [...(Object.keys(presets) as Preset[]), 'custom'] as const

export const captionAnimations = [
  ...['normal', 'none', 'one-word', 'karaoke', 'progressive', 'highlight'],
  ...['fill', 'pop', 'bounce', 'fade', 'slide', 'typewriter'],
]

/** Default of a `transitionDuration`, s. */
export const defaultTransitionSeconds = 0.5
