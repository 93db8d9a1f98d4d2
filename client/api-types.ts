/**
 * Made from the service's OpenAPI document by `npm run client:types`; not to be edited. What the
 * service sends and takes, and each of its routes.
 */

export type AccountDelivery = {
  readonly id: string
  readonly event: 'render.completed' | 'render.failed'
  readonly jobId: string
  readonly test: boolean
  readonly status: 'pending' | 'succeeded' | 'failed'
  readonly failedReason: string | null
  readonly attempts: readonly {
    readonly at: string
    readonly responseCode: number | null
    readonly error: string | null
    readonly durationMs: number
  }[]
  readonly createdAt: string
  readonly nextAttemptAt: string | null
  /** Reason for the wait, unless the delivery is about to be sent */
  readonly waiting?: string
  readonly webhookId: string | null
  /** Address of the receiver */
  readonly url: string
  /** Text of the request, the same at each attempt */
  readonly body: string
}

export type Animation =
  | 'fade'
  | 'fadeblack'
  | 'fadewhite'
  | 'distance'
  | 'wipeleft'
  | 'wiperight'
  | 'wipeup'
  | 'wipedown'
  | 'slideleft'
  | 'slideright'
  | 'slideup'
  | 'slidedown'
  | 'smoothleft'
  | 'smoothright'
  | 'smoothup'
  | 'smoothdown'
  | 'circlecrop'
  | 'rectcrop'
  | 'circleclose'
  | 'circleopen'
  | 'horzclose'
  | 'horzopen'
  | 'vertclose'
  | 'vertopen'
  | 'diagbl'
  | 'diagbr'
  | 'diagtl'
  | 'diagtr'
  | 'hlslice'
  | 'hrslice'
  | 'vuslice'
  | 'vdslice'
  | 'dissolve'
  | 'pixelize'
  | 'radial'
  | 'hblur'
  | 'wipetl'
  | 'wipetr'
  | 'wipebl'
  | 'wipebr'
  | 'fadegrays'
  | 'zoomin'
  | 'hlwind'
  | 'hrwind'
  | 'squeezeh'
  | 'squeezev'
  | 'fadefast'
  | 'fadeslow'
  | 'vuwind'
  | 'vdwind'
  | 'coverleft'
  | 'coverright'
  | 'coverup'
  | 'coverdown'
  | 'revealleft'
  | 'revealright'
  | 'revealup'
  | 'revealdown'

export type ApiKey = {
  readonly id: string
  readonly name: string
  /** First characters of the key */
  readonly prefix: string
  readonly scopes:
    | readonly ('render' | 'jobs' | 'account' | 'templates' | 'webhooks' | 'keys')[]
    | null
  readonly expiresAt: string | null
  readonly spendingCap: number | null
  readonly creditsSpent: number | null
  readonly createdAt: string
  readonly lastUsedAt: string | null
  /** Requests by day (UTC), newest first, when `usageDays` asks for them */
  readonly usage?: readonly {
    readonly date: string
    readonly requests: number
  }[]
}

export type AudioItem = {
  readonly src: string | Placeholder
  readonly matchDuration?: boolean | Placeholder
  readonly enter?: number | Placeholder
  readonly exit?: number | Placeholder
  readonly volume?: number | Placeholder
  readonly speed?: number | Placeholder
  readonly audioBegin?: number | Placeholder
  readonly audioEnd?: number | Placeholder
  readonly audioDuration?: number | Placeholder
  readonly track?: number | Placeholder
  readonly condition?: unknown
}

export type Bulk = {
  /** Same as bulkId */
  readonly id: string
  readonly bulkId: string
  readonly name: string
  readonly state: 'running' | 'finished'
  readonly progress: number
  /** Items of the request, refused ones included */
  readonly items: number
  readonly counts: {
    readonly queued: number
    readonly resolving: number
    readonly rendering: number
    readonly assembling: number
    readonly completed: number
    readonly failed: number
    readonly cancelled: number
  }
  /** Credits still held for the jobs of the bulk that have not ended */
  readonly creditsReserved: number
  readonly creditsCharged: number
  readonly errors: readonly {
    readonly index: number
    readonly details: readonly {
      /** Path like scenes[0].visuals[2].enterEnd; empty for the whole body */
      readonly field: string
      /** JSON pointer (RFC 6901) into the body as sent */
      readonly pointer: string
      readonly code: string
      readonly message: string
    }[]
  }[]
  readonly ts: {
    readonly created: string
    readonly finished: string | null
  }
}

export type BulkItem = {
  readonly variables?: Designer
  readonly name?: string
  readonly jobId?: string
}

export type BulkRequest = {
  readonly variables?: Designer
  readonly overrides?: RenderOverrides
  readonly webhookUrl?: string
  readonly name?: string
  readonly items: readonly BulkItem[]
} & (
  | { readonly payload: RenderPayload; readonly template?: never }
  | { readonly template: string; readonly payload?: never }
)

export type BulkResult = {
  readonly index: number
  readonly jobId: string | null
  readonly name: string | null
  readonly state:
    | 'queued'
    | 'resolving'
    | 'rendering'
    | 'assembling'
    | 'completed'
    | 'failed'
    | 'cancelled'
    | 'refused'
  readonly url: string | null
  readonly format: string | null
  readonly duration: number | null
  readonly size: number | null
  readonly creditsCharged: number
  readonly error: string | null
}

export type ChromaKey = {
  readonly color: string | Placeholder
  readonly similarity?: number | Placeholder
  readonly blend?: number | Placeholder
}

export type CropParams = {
  readonly x: number | Placeholder
  readonly y: number | Placeholder
  readonly width: number | Placeholder
  readonly height: number | Placeholder
}

export type CustomCode = {
  readonly css?: string | Placeholder
  readonly js?: string | Placeholder
  readonly animationDuration?: number | Placeholder
}

export type Delivery = {
  readonly id: string
  readonly event: 'render.completed' | 'render.failed'
  readonly jobId: string
  readonly test: boolean
  readonly status: 'pending' | 'succeeded' | 'failed'
  readonly failedReason: string | null
  readonly attempts: readonly {
    readonly at: string
    readonly responseCode: number | null
    readonly error: string | null
    readonly durationMs: number
  }[]
  readonly createdAt: string
  readonly nextAttemptAt: string | null
  /** Reason for the wait, unless the delivery is about to be sent */
  readonly waiting?: string
}

export type Designer = Readonly<Record<string, unknown>>

export type Element = {
  readonly id: string
  readonly type: string
  readonly name: string
  readonly summary: string
  /** Location in a project */
  readonly place: string
  readonly requiredFields: readonly string[]
  readonly fields: readonly {
    readonly name: string
    readonly required: boolean
    /** Rule in words, as in error messages */
    readonly rule: string
    /** True when the field accepts {{ name }} instead of a value */
    readonly placeholder: boolean
    /** Types of the elements and parts that describe the value */
    readonly parts: readonly string[]
  }[]
  /** Rules that concern several fields */
  readonly notes: readonly string[]
  readonly example: Readonly<Record<string, unknown>>
}

export type Example = {
  readonly id: string
  readonly name: string
  readonly title: string
  readonly description: string
  /** Request body to submit */
  readonly request: Readonly<Record<string, unknown>>
  /** Project of the request */
  readonly payload: Readonly<Record<string, unknown>>
}

export type Filter = {
  readonly brightness?: number | Placeholder
  readonly contrast?: number | Placeholder
  readonly saturate?: number | Placeholder
  readonly 'hue-rotate'?: string | Placeholder
  readonly blur?: number | string | Placeholder
  readonly invert?: boolean | number | Placeholder
  readonly colorTint?: string | Placeholder
}

export type GifVisual = {
  readonly type: 'GIF'
  readonly x?: number | Placeholder
  readonly y?: number | Placeholder
  readonly width?: number | Placeholder
  readonly height?: number | Placeholder
  readonly position?: Position | Placeholder
  readonly anchor?: Position | Placeholder
  readonly resize?: 'contain' | 'cover' | Placeholder
  readonly enterBegin?: number | Placeholder
  readonly enterEnd?: number | Placeholder
  readonly exitBegin?: number | Placeholder
  readonly exitEnd?: number | Placeholder
  readonly opacity?: number | Placeholder
  readonly angle?: number | Placeholder
  readonly flipV?: boolean | Placeholder
  readonly flipH?: boolean | Placeholder
  readonly track?: number | Placeholder
  readonly enterAnimation?: Animation | null | Placeholder
  readonly exitAnimation?: Animation | null | Placeholder
  readonly condition?: unknown
  readonly src: string | Placeholder
  readonly cropParams?: CropParams | Placeholder
  readonly filter?: Filter | Placeholder
  readonly chromaKey?: ChromaKey | Placeholder
  readonly zoom?:
    | boolean
    | {
        readonly depth: number | Placeholder
      }
    | Placeholder
  readonly radius?: Radius | Placeholder
}

export type ImageProject = {
  readonly type: 'image'
  readonly name?: string | Placeholder
  readonly resolution?: Resolution | Placeholder
  readonly width?: number | Placeholder
  readonly height?: number | Placeholder
  readonly backgroundColor?: string | Placeholder
  readonly variables?: Designer
  readonly outputFormat?: 'png' | 'jpg' | 'jpeg' | 'webp' | Placeholder
  readonly snapshotTime?: number | Placeholder
  readonly quality?: number | Placeholder
  readonly transparent?: boolean | Placeholder
  readonly visuals?: readonly (ImageVisual | TextVisual | SvgVisual)[] | Placeholder
}

export type ImageVisual = {
  readonly type: 'IMAGE'
  readonly x?: number | Placeholder
  readonly y?: number | Placeholder
  readonly width?: number | Placeholder
  readonly height?: number | Placeholder
  readonly position?: Position | Placeholder
  readonly anchor?: Position | Placeholder
  readonly resize?: 'contain' | 'cover' | Placeholder
  readonly enterBegin?: number | Placeholder
  readonly enterEnd?: number | Placeholder
  readonly exitBegin?: number | Placeholder
  readonly exitEnd?: number | Placeholder
  readonly opacity?: number | Placeholder
  readonly angle?: number | Placeholder
  readonly flipV?: boolean | Placeholder
  readonly flipH?: boolean | Placeholder
  readonly track?: number | Placeholder
  readonly enterAnimation?: Animation | null | Placeholder
  readonly exitAnimation?: Animation | null | Placeholder
  readonly condition?: unknown
  readonly src: string | Placeholder
  readonly cropParams?: CropParams | Placeholder
  readonly filter?: Filter | Placeholder
  readonly chromaKey?: ChromaKey | Placeholder
  readonly zoom?:
    | boolean
    | {
        readonly depth: number | Placeholder
      }
    | Placeholder
  readonly radius?: Radius | Placeholder
}

export type Job = {
  readonly id: string
  readonly state:
    | 'queued'
    | 'resolving'
    | 'rendering'
    | 'assembling'
    | 'completed'
    | 'failed'
    | 'cancelled'
  readonly progress: number
  readonly stage: 'resolve' | 'ingest' | 'bake' | 'plan' | 'render' | 'assemble' | 'settle' | null
  readonly frames: {
    /** Frames of the film; 0 until the film is planned */
    readonly total: number
    /** Finished frames; falls when a node is lost and another paints its frames again */
    readonly done: number
    /** Frames to paint for this job */
    readonly painted: number
    /** Frames of segments that needed no rendering */
    readonly reused: number
    /** Frames equal to the frame before: encoded, not painted */
    readonly repeated: number
  }
  readonly framesPerSecond: number | null
  readonly etaSeconds: number | null
  readonly stages: Readonly<
    Record<
      string,
      {
        readonly begun: string
        readonly seconds: number
      }
    >
  >
  readonly type: 'video' | 'image'
  readonly name: string
  readonly templateId: string | null
  readonly bulkId: string | null
  readonly bulkIndex: number | null
  readonly url: string | null
  readonly downloadUrl: string | null
  readonly thumbnailUrl: string | null
  readonly previewUrl: string | null
  readonly playlistUrl: string | null
  readonly watchUrl: string | null
  readonly noPlaylistReason: string | null
  readonly urlExpiresAt: string | null
  readonly outputExpiresAt: string | null
  readonly outputExpiredAt: string | null
  readonly result: {
    readonly url: string | null
    readonly thumbnailUrl: string | null
    readonly duration: number
    readonly size: number
    readonly width: number
    readonly height: number
  } | null
  readonly failedReason: string | null
  readonly error: {
    readonly code: string
    readonly message: string
    readonly details: readonly {
      /** Path like scenes[0].visuals[2].enterEnd; empty for the whole body */
      readonly field: string
      /** JSON pointer (RFC 6901) into the body as sent */
      readonly pointer: string
      readonly code: string
      readonly message: string
    }[]
  } | null
  readonly warnings: readonly {
    /** Path as in an error; empty for the whole project */
    readonly field: string
    /** JSON pointer (RFC 6901) into the body as sent */
    readonly pointer: string
    /**
     * - `position_ignored`: x and y have no effect, because position is not custom
     * - `size_ignored`: width or height has no effect, because the resolution sets it
     * - `text_ignored`: text has no effect, because html is given
     * - `exit_ignored`: exit has no effect, because the sound ends with its scene or project
     * - `duration_ignored`: the film lasts longer than its duration
     * - `link_ignored`: a transition between clips or scenes is not played
     * - `transition_cut_short`: a transition is longer than the scenes beside it
     * - `look_ignored`: a caption style has no effect with this animation
     * - `empty_animation`: an animation has no time to play
     * - `animation_cut_short`: custom code runs longer than its element is visible
     * - `never_visible`: an element or caption is never visible
     * - `never_heard`: a sound has no time to play
     * - `empty_cut`: a clip is cut down to one frame
     * - `nothing_visible`: no element of a film, still or scene is visible
     * - `off_canvas`: an element lies outside the canvas
     * - `texts_overlap`: a text covers another text
     * - `low_contrast`: a text hardly contrasts with its background
     * - `text_overflow`: a text is higher than its box
     * - `tiny_text`: a text is too small to read
     * - `unknown_font`: the farm does not have a font
     * - `duplicate_id`: two clips have the same id
     * - `not_a_placeholder`: braces look like a placeholder but are painted unchanged
     * - `unused_variable`: the project does not use a variable
     * - `undefined_condition`: a condition names an undefined variable, similar to a defined one
     * - `unrenderable_defaults`: a template cannot be rendered with its default variables alone
     * - `stretched`: a clip or GIF is stretched to another aspect ratio
     * - `subtitle_file`: cues of a subtitle file are left out or read differently
     * - `media_damaged`: a sound or film is damaged and is used only in part
     * - `style_ignored`: the browser rejected CSS
     * - `missing_glyph`: no font has a glyph for a character
     * - `picture_damaged`: a picture could not be decoded completely
     * - `cut_off`: an element exceeds the largest size that is painted
     * - `url_registered_twice`: another webhook has the same url and shares events
     */
    readonly code: string
    readonly message: string
  }[]
  /** Credits held until the job ends; an ended job holds nothing */
  readonly creditsReserved: number
  readonly creditsCharged: number
  readonly queuePosition: number | null
  readonly waiting?: {
    readonly reason:
      | 'held'
      | 'no_machine'
      | 'pool_starts'
      | 'missing_capability'
      | 'farm_limit'
      | 'account_limit'
      | 'turn'
      | 'bulk_in_flight'
      | 'not_started'
      | 'segments_of_another_job'
      | 'media_of_another_job'
      | 'media_retry'
      | 'workflow_late'
    readonly message: string
    readonly ahead: number
    readonly share: number | null
    readonly missing: readonly string[]
    /** Jobs of the account that render segments this job also needs */
    readonly jobs: readonly string[]
    readonly startsIn: number | null
  } | null
  readonly ts: {
    readonly created: string
    readonly started: string | null
    readonly updated: string
    readonly finished: string | null
  }
}

export type JobDelivery = {
  readonly id: string
  readonly event: 'render.completed' | 'render.failed'
  readonly jobId: string
  readonly test: boolean
  readonly status: 'pending' | 'succeeded' | 'failed'
  readonly failedReason: string | null
  readonly attempts: readonly {
    readonly at: string
    readonly responseCode: number | null
    readonly error: string | null
    readonly durationMs: number
  }[]
  readonly createdAt: string
  readonly nextAttemptAt: string | null
  /** Reason for the wait, unless the delivery is about to be sent */
  readonly waiting?: string
  readonly webhookId: string | null
  /** Address of the receiver */
  readonly url: string
}

export type JobExplanation = {
  /** Time from its submission to its end, or until now */
  readonly seconds: number
  /** Stages in their order; they add up to `seconds` */
  readonly stages: readonly {
    readonly name: string
    /** Words for it */
    readonly label: string
    readonly seconds: number
    /** 0 to 1 */
    readonly share: number
  }[]
  /** Steps of the machines’ work, the longest first. Work at the same time adds up, so that they may exceed `seconds` */
  readonly steps: readonly {
    readonly name: string
    /** Words for it */
    readonly label: string
    readonly seconds: number
    /** 0 to 1 */
    readonly share: number
  }[]
  /** Seconds of attempts that ended without a result and were made again */
  readonly againSeconds: number
  /** Pictures that took longest; equal frames are painted once */
  readonly slowFrames: readonly {
    readonly frame: number
    /** Time in the film */
    readonly second: number | null
    readonly milliseconds: number
    readonly mostly: 'sources' | 'paint' | 'encode'
    /** Paths of the elements that it shows */
    readonly elements: readonly string[]
  }[]
  readonly slowElements: readonly {
    /** Path in the request */
    readonly field: string
    /** Seconds of fetching and checking its file; null where nothing was fetched */
    readonly fetchSeconds: number | null
    /** Number of `slowFrames` that show it */
    readonly slowFrames: number
  }[]
  readonly advice: string
}

export type LibraryItem = {
  /** Same as slug */
  readonly id: string
  readonly slug: string
  readonly kind: 'examples' | 'design-templates' | 'canvas-presets' | 'shapes'
  /** Same as title */
  readonly name: string
  readonly title: string
  readonly description: string
  readonly type: 'video' | 'image' | 'visual' | 'settings'
  readonly category: string
  readonly premium: false
  readonly width: number
  readonly height: number
  readonly thumbnail: string
  readonly contentUrl: string
  readonly meta: {
    readonly thumbnail: string
    readonly width: number
    readonly height: number
    readonly category: string
  }
}

export type NewProject = {
  readonly name: string
  readonly payload: Designer
}

export type NewTemplate = {
  readonly name: string
  readonly description?: string
  readonly payload: RenderPayload
}

export type PatchOperation = {
  readonly op: 'add' | 'remove' | 'replace' | 'move' | 'copy' | 'test'
  readonly path: string
  readonly from?: string
  readonly value?: unknown
}

export type Placeholder = `${string}{{${string}}}${string}`

export type Position =
  | 'top-left'
  | 'top-center'
  | 'top-right'
  | 'center-left'
  | 'center-center'
  | 'center-right'
  | 'bottom-right'
  | 'bottom-center'
  | 'bottom-left'
  | 'custom'

export type PreviewRequest = {
  readonly variables?: Designer
  readonly overrides?: RenderOverrides
  /** Moments of the film in seconds. Absent: 6 moments at which most is to be seen */
  readonly times?: readonly number[]
  /** Width of a frame in px; its height follows, and neither exceeds 480 or half of the film's own, whatever is asked for. Absent: the longer side has 320 */
  readonly width?: number
  /** Size limit of the JPEG; the highest quality that fits is taken. Absent: 200000 */
  readonly maxBytes?: number
  /** Adds the JPEG to the JSON response, as base64 */
  readonly inline?: boolean
  /** Paints anew and asks every origin again whether its media have changed */
  readonly refresh?: boolean
} & (
  | { readonly payload: RenderPayload; readonly template?: never }
  | { readonly template: string; readonly payload?: never }
)

export type Problem = {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  /** Same text as title */
  readonly error: string
  /** Same text as detail */
  readonly message: string
  readonly code: string
  /** Same as the header X-Request-Id; name it when you ask for support */
  readonly requestId?: string
  readonly details: readonly {
    /** Path like scenes[0].visuals[2].enterEnd; empty for the whole body */
    readonly field: string
    /** JSON pointer (RFC 6901) into the body as sent */
    readonly pointer: string
    readonly code: string
    readonly message: string
  }[]
  readonly planLimits?: Readonly<Record<string, number>>
  readonly creditsRequired?: number
  readonly creditsAvailable?: number
  /** Faults of each refused item of a bulk */
  readonly errors?: readonly {
    readonly index: number
    readonly details: readonly {
      /** Path like scenes[0].visuals[2].enterEnd; empty for the whole body */
      readonly field: string
      /** JSON pointer (RFC 6901) into the body as sent */
      readonly pointer: string
      readonly code: string
      readonly message: string
    }[]
  }[]
}

export type Project = {
  readonly id: string
  readonly name: string
  readonly type: 'video' | 'image'
  /** Starts at 1 and grows by 1 with each change */
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
  /** Payload as stored */
  readonly payload: Readonly<Record<string, unknown>>
  /** Copy of the same object, where clients of the original service read it */
  readonly project: {
    readonly id: string
    readonly name: string
    readonly type: 'video' | 'image'
    /** Starts at 1 and grows by 1 with each change */
    readonly version: number
    readonly createdAt: string
    readonly updatedAt: string
    /** Payload as stored */
    readonly payload: Readonly<Record<string, unknown>>
  }
  /** True when a render of the payload would be accepted now */
  readonly valid: boolean
  /** Faults of the payload */
  readonly errors: readonly {
    /** Path like scenes[0].visuals[2].enterEnd; empty for the whole body */
    readonly field: string
    /** JSON pointer (RFC 6901) into the body as sent */
    readonly pointer: string
    readonly code: string
    readonly message: string
  }[]
  readonly warnings: readonly {
    /** Path as in an error; empty for the whole project */
    readonly field: string
    /** JSON pointer (RFC 6901) into the body as sent */
    readonly pointer: string
    /**
     * - `position_ignored`: x and y have no effect, because position is not custom
     * - `size_ignored`: width or height has no effect, because the resolution sets it
     * - `text_ignored`: text has no effect, because html is given
     * - `exit_ignored`: exit has no effect, because the sound ends with its scene or project
     * - `duration_ignored`: the film lasts longer than its duration
     * - `link_ignored`: a transition between clips or scenes is not played
     * - `transition_cut_short`: a transition is longer than the scenes beside it
     * - `look_ignored`: a caption style has no effect with this animation
     * - `empty_animation`: an animation has no time to play
     * - `animation_cut_short`: custom code runs longer than its element is visible
     * - `never_visible`: an element or caption is never visible
     * - `never_heard`: a sound has no time to play
     * - `empty_cut`: a clip is cut down to one frame
     * - `nothing_visible`: no element of a film, still or scene is visible
     * - `off_canvas`: an element lies outside the canvas
     * - `texts_overlap`: a text covers another text
     * - `low_contrast`: a text hardly contrasts with its background
     * - `text_overflow`: a text is higher than its box
     * - `tiny_text`: a text is too small to read
     * - `unknown_font`: the farm does not have a font
     * - `duplicate_id`: two clips have the same id
     * - `not_a_placeholder`: braces look like a placeholder but are painted unchanged
     * - `unused_variable`: the project does not use a variable
     * - `undefined_condition`: a condition names an undefined variable, similar to a defined one
     * - `unrenderable_defaults`: a template cannot be rendered with its default variables alone
     * - `stretched`: a clip or GIF is stretched to another aspect ratio
     * - `subtitle_file`: cues of a subtitle file are left out or read differently
     * - `media_damaged`: a sound or film is damaged and is used only in part
     * - `style_ignored`: the browser rejected CSS
     * - `missing_glyph`: no font has a glyph for a character
     * - `picture_damaged`: a picture could not be decoded completely
     * - `cut_off`: an element exceeds the largest size that is painted
     * - `url_registered_twice`: another webhook has the same url and shares events
     */
    readonly code: string
    readonly message: string
  }[]
  /** Credits that a submission would hold; null while there are errors */
  readonly creditsRequired: number | null
}

export type ProjectChange = {
  readonly name?: string
  readonly payload?: Designer
  readonly baseVersion?: number
}

export type ProjectPatch = {
  readonly patch: readonly PatchOperation[]
  readonly baseVersion?: number
}

export type ProjectRestoring = {
  readonly version: number
  readonly baseVersion?: number
}

export type ProjectSummary = {
  readonly id: string
  readonly name: string
  readonly type: 'video' | 'image'
  /** Starts at 1 and grows by 1 with each change */
  readonly version: number
  readonly createdAt: string
  readonly updatedAt: string
}

export type Quote = {
  readonly id: string
  readonly kind: 'job' | 'bulk'
  /** A used quote has made its job or bulk; rendered again it answers the same */
  readonly state: 'open' | 'used' | 'expired'
  /** Name of the film, the still or the bulk */
  readonly name: string | null
  /** Credits that rendering it holds */
  readonly creditsRequired: number
  /** False when the length depends on media that are not read yet. The hold is topped up once they are */
  readonly exact: boolean
  /** Most credits that it can cost */
  readonly creditsMost: number
  /** Seconds, of all films of a bulk together; 0 for stills */
  readonly duration: number
  readonly template: string | null
  readonly project: string | null
  /** Its job, once it is used */
  readonly jobId: string | null
  /** Its bulk, once it is used */
  readonly bulkId: string | null
  readonly createdAt: string
  readonly expiresAt: string
}

export type QuoteRequest = {
  readonly variables?: Designer
  readonly overrides?: RenderOverrides
  readonly webhookUrl?: string
  readonly name?: string
  readonly items?: readonly BulkItem[]
} & (
  | { readonly payload: RenderPayload; readonly template?: never; readonly project?: never }
  | { readonly template: string; readonly payload?: never; readonly project?: never }
  | { readonly project: string; readonly payload?: never; readonly template?: never }
)

export type Radius = {
  readonly tl?: number | Placeholder
  readonly tr?: number | Placeholder
  readonly bl?: number | Placeholder
  readonly br?: number | Placeholder
}

export type RenderOverrides = {
  readonly name?: string
  readonly width?: number
  readonly height?: number
  readonly outputFormat?: 'mp4' | 'mov' | 'avi' | 'webm' | 'png' | 'jpg' | 'jpeg' | 'webp'
  readonly frameRate?: number
  readonly backgroundColor?: string
  readonly snapshotTime?: number
  readonly quality?: number
  readonly transparent?: boolean
  readonly resolution?: Resolution
}

export type RenderPayload = VideoProject | ImageProject

export type RenderRequest = {
  readonly variables?: Designer
  readonly overrides?: RenderOverrides
  readonly webhookUrl?: string
  readonly jobId?: string
} & (
  | { readonly payload: RenderPayload; readonly template?: never }
  | { readonly template: string; readonly payload?: never }
)

export type Resolution =
  | 'sd'
  | 'hd'
  | 'full-hd'
  | 'squared'
  | 'youtube-short'
  | 'youtube-video'
  | 'tiktok'
  | 'instagram-reel'
  | 'instagram-post'
  | 'instagram-story'
  | 'instagram-feed'
  | 'twitter-landscape'
  | 'twitter-portrait'
  | 'twitter-square'
  | 'facebook-video'
  | 'facebook-story'
  | 'facebook-post'
  | 'snapchat'
  | 'custom'

export type Scene = {
  readonly id?: string | Placeholder
  readonly duration?: -1 | number | Placeholder
  readonly transition?: Animation | null | Placeholder
  readonly transitionId?: string | Placeholder
  readonly transitionDuration?: number | Placeholder
  readonly backgroundColor?: string | Placeholder
  readonly visuals?:
    | readonly (ImageVisual | GifVisual | VideoVisual | TextVisual | SvgVisual)[]
    | Placeholder
  readonly audios?: readonly AudioItem[] | Placeholder
  readonly variables?: Designer
  readonly condition?: unknown
  readonly iterate?: string | Placeholder
  readonly iterateAs?: string | Placeholder
}

export type SentRequest = {
  readonly payload?: Readonly<Record<string, unknown>>
  readonly template?: string
  readonly variables?: Readonly<Record<string, unknown>>
  readonly overrides?: Readonly<Record<string, unknown>>
  readonly webhookUrl?: string
}

export type StillBulkRequest = {
  readonly variables?: Designer
  readonly overrides?: RenderOverrides
  readonly webhookUrl?: string
  readonly name?: string
  readonly items: readonly BulkItem[]
} & (
  | { readonly payload: StillPayload; readonly template?: never }
  | { readonly template: string; readonly payload?: never }
)

export type StillPayload = {
  readonly type?: 'image'
  readonly name?: string | Placeholder
  readonly resolution?: Resolution | Placeholder
  readonly width?: number | Placeholder
  readonly height?: number | Placeholder
  readonly backgroundColor?: string | Placeholder
  readonly variables?: Designer
  readonly outputFormat?: 'png' | 'jpg' | 'jpeg' | 'webp' | Placeholder
  readonly snapshotTime?: number | Placeholder
  readonly quality?: number | Placeholder
  readonly transparent?: boolean | Placeholder
  readonly visuals?: readonly (ImageVisual | TextVisual | SvgVisual)[] | Placeholder
}

export type StillRequest = {
  readonly variables?: Designer
  readonly overrides?: RenderOverrides
  readonly webhookUrl?: string
  readonly jobId?: string
} & (
  | { readonly payload: StillPayload; readonly template?: never }
  | { readonly template: string; readonly payload?: never }
)

export type Style = Readonly<Record<string, string | number>>

export type Subtitle = {
  readonly maxWordsPerLine?: number | Placeholder
  readonly animation?:
    | 'normal'
    | 'none'
    | 'one-word'
    | 'karaoke'
    | 'progressive'
    | 'highlight'
    | 'fill'
    | 'pop'
    | 'bounce'
    | 'fade'
    | 'slide'
    | 'typewriter'
    | Placeholder
  readonly direction?: 'up' | 'down' | 'left' | 'right' | Placeholder
  readonly font?:
    | {
        readonly family?: string | Placeholder
        readonly size?: number | Placeholder
        readonly color?: string | Placeholder
        readonly bold?: boolean | Placeholder
        readonly italic?: boolean | Placeholder
        readonly transform?: 'none' | 'uppercase' | 'lowercase' | 'capitalize' | Placeholder
      }
    | Placeholder
  readonly stroke?:
    | {
        readonly color?: string | Placeholder
        readonly width?: number | Placeholder
      }
    | Placeholder
  readonly background?:
    | {
        readonly color?: string | Placeholder
        readonly opacity?: number | Placeholder
        readonly padding?: number | Placeholder
        readonly radius?: number | Placeholder
      }
    | Placeholder
  readonly activeWord?:
    | {
        readonly color?: string | Placeholder
        readonly background?: string | Placeholder
        readonly radius?: number | Placeholder
      }
    | Placeholder
  readonly position?:
    | 'top-left'
    | 'top-center'
    | 'top-right'
    | 'center-left'
    | 'center-center'
    | 'center-right'
    | 'bottom-right'
    | 'bottom-center'
    | 'bottom-left'
    | 'top'
    | 'center'
    | 'bottom'
    | Placeholder
  readonly margin?:
    | {
        readonly x?: number | Placeholder
        readonly y?: number | Placeholder
      }
    | Placeholder
  readonly styles?:
    | {
        readonly color?: string | Placeholder
        readonly background?: string | Placeholder
        readonly backgroundPadding?: number | Placeholder
        readonly backgroundRadius?: number | Placeholder
        readonly isBold?: boolean | Placeholder
        readonly isItalic?: boolean | Placeholder
        readonly fontSize?: number | Placeholder
        readonly fontFamily?: string | Placeholder
        readonly textTransform?: 'none' | 'uppercase' | 'lowercase' | 'capitalize' | Placeholder
        readonly outline?:
          | {
              readonly width?: number | Placeholder
              readonly color?: string | Placeholder
            }
          | Placeholder
        readonly position?:
          | 'top-left'
          | 'top-center'
          | 'top-right'
          | 'center-left'
          | 'center-center'
          | 'center-right'
          | 'bottom-right'
          | 'bottom-center'
          | 'bottom-left'
          | 'top'
          | 'center'
          | 'bottom'
          | Placeholder
        readonly marginV?: number | Placeholder
        readonly marginH?: number | Placeholder
        readonly mode?:
          | 'normal'
          | 'none'
          | 'one-word'
          | 'karaoke'
          | 'progressive'
          | 'highlight'
          | 'fill'
          | 'pop'
          | 'bounce'
          | 'fade'
          | 'slide'
          | 'typewriter'
          | Placeholder
        readonly slideDirection?: 'up' | 'down' | 'left' | 'right' | Placeholder
        readonly activeWord?:
          | {
              readonly color?: string | Placeholder
              readonly background?: string | Placeholder
              readonly radius?: number | Placeholder
            }
          | Placeholder
      }
    | Placeholder
} & (
  | { readonly src: string | Placeholder; readonly captions?: never }
  | {
      readonly captions:
        | readonly {
            readonly start: number | Placeholder
            readonly end: number | Placeholder
            readonly text: string | Placeholder
            readonly words?:
              | readonly {
                  readonly start: number | Placeholder
                  readonly end: number | Placeholder
                  readonly text: string | Placeholder
                }[]
              | Placeholder
          }[]
        | Placeholder
      readonly src?: never
    }
)

export type SvgVisual = {
  readonly type: 'SVG'
  readonly x?: number | Placeholder
  readonly y?: number | Placeholder
  readonly width?: number | Placeholder
  readonly height?: number | Placeholder
  readonly position?: Position | Placeholder
  readonly anchor?: Position | Placeholder
  readonly resize?: 'contain' | 'cover' | Placeholder
  readonly enterBegin?: number | Placeholder
  readonly enterEnd?: number | Placeholder
  readonly exitBegin?: number | Placeholder
  readonly exitEnd?: number | Placeholder
  readonly opacity?: number | Placeholder
  readonly angle?: number | Placeholder
  readonly flipV?: boolean | Placeholder
  readonly flipH?: boolean | Placeholder
  readonly track?: number | Placeholder
  readonly enterAnimation?: Animation | null | Placeholder
  readonly exitAnimation?: Animation | null | Placeholder
  readonly condition?: unknown
  readonly svg: string | Placeholder
  readonly filter?: Filter | Placeholder
  readonly chromaKey?: ChromaKey | Placeholder
  readonly customCode?: CustomCode | Placeholder
  readonly designer?: Designer | Placeholder
}

export type Template = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly type: 'video' | 'image'
  readonly archived: boolean
  readonly createdAt: string
  readonly updatedAt: string
  /** Payload as stored */
  readonly payload: Readonly<Record<string, unknown>>
  /** Copy of the same object, where clients of the original service read it */
  readonly template: {
    readonly id: string
    readonly name: string
    readonly description: string
    readonly type: 'video' | 'image'
    readonly archived: boolean
    readonly createdAt: string
    readonly updatedAt: string
    /** Payload as stored */
    readonly project: Readonly<Record<string, unknown>>
    /** Default variables of the project; `type` is the JSON type */
    readonly variablesSummary: readonly {
      readonly name: string
      readonly type: string
      readonly default: unknown
    }[]
  }
  /** Warnings about the payload with its default variables */
  readonly warnings?: readonly {
    /** Path as in an error; empty for the whole project */
    readonly field: string
    /** JSON pointer (RFC 6901) into the body as sent */
    readonly pointer: string
    /**
     * - `position_ignored`: x and y have no effect, because position is not custom
     * - `size_ignored`: width or height has no effect, because the resolution sets it
     * - `text_ignored`: text has no effect, because html is given
     * - `exit_ignored`: exit has no effect, because the sound ends with its scene or project
     * - `duration_ignored`: the film lasts longer than its duration
     * - `link_ignored`: a transition between clips or scenes is not played
     * - `transition_cut_short`: a transition is longer than the scenes beside it
     * - `look_ignored`: a caption style has no effect with this animation
     * - `empty_animation`: an animation has no time to play
     * - `animation_cut_short`: custom code runs longer than its element is visible
     * - `never_visible`: an element or caption is never visible
     * - `never_heard`: a sound has no time to play
     * - `empty_cut`: a clip is cut down to one frame
     * - `nothing_visible`: no element of a film, still or scene is visible
     * - `off_canvas`: an element lies outside the canvas
     * - `texts_overlap`: a text covers another text
     * - `low_contrast`: a text hardly contrasts with its background
     * - `text_overflow`: a text is higher than its box
     * - `tiny_text`: a text is too small to read
     * - `unknown_font`: the farm does not have a font
     * - `duplicate_id`: two clips have the same id
     * - `not_a_placeholder`: braces look like a placeholder but are painted unchanged
     * - `unused_variable`: the project does not use a variable
     * - `undefined_condition`: a condition names an undefined variable, similar to a defined one
     * - `unrenderable_defaults`: a template cannot be rendered with its default variables alone
     * - `stretched`: a clip or GIF is stretched to another aspect ratio
     * - `subtitle_file`: cues of a subtitle file are left out or read differently
     * - `media_damaged`: a sound or film is damaged and is used only in part
     * - `style_ignored`: the browser rejected CSS
     * - `missing_glyph`: no font has a glyph for a character
     * - `picture_damaged`: a picture could not be decoded completely
     * - `cut_off`: an element exceeds the largest size that is painted
     * - `url_registered_twice`: another webhook has the same url and shares events
     */
    readonly code: string
    readonly message: string
  }[]
}

export type TemplateChange = {
  readonly name?: string
  readonly description?: string
  readonly payload?: RenderPayload
  readonly archived?: boolean
}

export type TemplatePreview = {
  readonly variables?: Designer
  readonly overrides?: RenderOverrides
}

export type TemplateSummary = {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly type: 'video' | 'image'
  readonly archived: boolean
  readonly createdAt: string
  readonly updatedAt: string
  /** Jobs submitted with it in the last 30 days */
  readonly recentJobs: number
  /** Thumbnail of its last completed job */
  readonly thumbnailUrl: string | null
}

export type TextVisual = {
  readonly type: 'TEXT'
  readonly x?: number | Placeholder
  readonly y?: number | Placeholder
  readonly width?: number | Placeholder
  readonly height?: number | Placeholder
  readonly position?: Position | Placeholder
  readonly anchor?: Position | Placeholder
  readonly resize?: 'contain' | 'cover' | Placeholder
  readonly enterBegin?: number | Placeholder
  readonly enterEnd?: number | Placeholder
  readonly exitBegin?: number | Placeholder
  readonly exitEnd?: number | Placeholder
  readonly opacity?: number | Placeholder
  readonly angle?: number | Placeholder
  readonly flipV?: boolean | Placeholder
  readonly flipH?: boolean | Placeholder
  readonly track?: number | Placeholder
  readonly enterAnimation?: Animation | null | Placeholder
  readonly exitAnimation?: Animation | null | Placeholder
  readonly condition?: unknown
  readonly text?: string | Placeholder
  readonly html?: string | Placeholder
  readonly style?: Style | Placeholder
  readonly customCode?: CustomCode | Placeholder
  readonly designer?: Designer | Placeholder
}

export type Timeline = {
  readonly job: {
    readonly createdAt: string
    readonly startedAt: string | null
    readonly endedAt: string | null
  }
  readonly stages: readonly {
    readonly name: 'resolve' | 'ingest' | 'bake' | 'plan' | 'render' | 'assemble' | 'settle'
    readonly begun: string
    readonly ended: string | null
  }[]
  readonly tasks: readonly {
    readonly id: string
    readonly kind: 'ingest' | 'bake' | 'render' | 'assemble' | 'still' | 'make' | 'sheet'
    /** Indexes of segments */
    readonly segments: readonly number[]
    readonly state: 'queued' | 'held' | 'leased' | 'completed' | 'failed' | 'cancelled'
    readonly queuedAt: string
  }[]
  readonly attempts: readonly {
    readonly taskId: string
    readonly number: number
    /** Name of the machine within this job: `machine 1`, … */
    readonly machine: string
    readonly leasedAt: string
    /** Same as leasedAt: machines begin at once */
    readonly startedAt: string
    readonly endedAt: string | null
    readonly state:
      | 'running'
      | 'completed'
      | 'failed'
      | 'lost'
      | 'returned'
      | 'cancelled'
      | 'superseded'
    /** Reason for its end without a result; null for others */
    readonly reason: string | null
    /** Frames painted so far */
    readonly frames: number
    /** Indexes of segments */
    readonly segments: readonly number[]
  }[]
  /** Empty for a still, until the film is planned, and once its plan is removed */
  readonly segments: readonly {
    readonly index: number
    readonly firstFrame: number
    readonly frames: number
    /** `reused`: it was in the store. `repeated`: it equals another segment, which is rendered for both */
    readonly state: 'reused' | 'repeated' | 'waiting' | 'rendering' | 'done'
  }[]
}

export type Upload = {
  readonly id: string
  readonly name: string
  readonly kind: 'image' | 'video' | 'audio'
  /** Type that the content shows; the name plays no part */
  readonly mediaType: string
  readonly bytes: number
  readonly sha256: string
  /** Signed address for a `src`; it lasts until the upload is deleted */
  readonly url: string
  readonly createdAt: string
}

export type VideoProject = {
  readonly type?: 'video'
  readonly name?: string | Placeholder
  readonly resolution?: Resolution | Placeholder
  readonly width?: number | Placeholder
  readonly height?: number | Placeholder
  readonly backgroundColor?: string | Placeholder
  readonly variables?: Designer
  readonly duration?: number | Placeholder
  readonly durationMode?: 'auto' | 'fixed' | Placeholder
  readonly frameRate?: number | Placeholder
  readonly outputFormat?: 'mp4' | 'mov' | 'avi' | 'webm' | Placeholder
  readonly visuals?:
    | readonly (ImageVisual | GifVisual | VideoVisual | TextVisual | SvgVisual)[]
    | Placeholder
  readonly audios?: readonly AudioItem[] | Placeholder
  readonly scenes?: readonly Scene[] | Placeholder
  readonly thumbnail?: string | Placeholder
  readonly subtitle?: Subtitle | Placeholder
}

export type VideoVisual = {
  readonly type: 'VIDEO'
  readonly x?: number | Placeholder
  readonly y?: number | Placeholder
  readonly width?: number | Placeholder
  readonly height?: number | Placeholder
  readonly position?: Position | Placeholder
  readonly anchor?: Position | Placeholder
  readonly resize?: 'contain' | 'cover' | Placeholder
  readonly enterBegin?: number | Placeholder
  readonly enterEnd?: number | Placeholder
  readonly exitBegin?: number | Placeholder
  readonly exitEnd?: number | Placeholder
  readonly opacity?: number | Placeholder
  readonly angle?: number | Placeholder
  readonly flipV?: boolean | Placeholder
  readonly flipH?: boolean | Placeholder
  readonly track?: number | Placeholder
  readonly enterAnimation?: Animation | null | Placeholder
  readonly exitAnimation?: Animation | null | Placeholder
  readonly condition?: unknown
  readonly src: string | Placeholder
  readonly cropParams?: CropParams | Placeholder
  readonly filter?: Filter | Placeholder
  readonly chromaKey?: ChromaKey | Placeholder
  readonly zoom?:
    | boolean
    | {
        readonly depth: number | Placeholder
      }
    | Placeholder
  readonly radius?: Radius | Placeholder
  readonly id?: string | Placeholder
  readonly videoBegin?: number | Placeholder
  readonly videoEnd?: number | Placeholder
  readonly videoDuration?: number | Placeholder
  readonly volume?: number | Placeholder
  readonly speed?: number | Placeholder
  readonly transition?: Animation | null | Placeholder
  readonly transitionDuration?: number | Placeholder
  readonly transitionId?: string | Placeholder
  readonly frameRate?: number | Placeholder
  readonly hasAudio?: boolean | Placeholder
}

export type Webhook = {
  readonly id: string
  readonly url: string
  readonly events: readonly ('render.completed' | 'render.failed')[]
  readonly description: string
  readonly status: 'active' | 'disabled'
  /** Consecutive deliveries that used up all attempts; the 20th disables the endpoint */
  readonly exhaustedInRow: number
  readonly previousSecretUntil: string | null
  readonly createdAt: string
  readonly updatedAt: string
}

export type WebhookWithSecret = {
  readonly id: string
  readonly url: string
  readonly events: readonly ('render.completed' | 'render.failed')[]
  readonly description: string
  readonly status: 'active' | 'disabled'
  /** Consecutive deliveries that used up all attempts; the 20th disables the endpoint */
  readonly exhaustedInRow: number
  readonly previousSecretUntil: string | null
  readonly createdAt: string
  readonly updatedAt: string
  /** Shown only in this response */
  readonly secret: string
  /** Probable mistakes; absent when there are none */
  readonly warnings?: readonly {
    /** Path as in an error; empty for the whole project */
    readonly field: string
    /** JSON pointer (RFC 6901) into the body as sent */
    readonly pointer: string
    /**
     * - `position_ignored`: x and y have no effect, because position is not custom
     * - `size_ignored`: width or height has no effect, because the resolution sets it
     * - `text_ignored`: text has no effect, because html is given
     * - `exit_ignored`: exit has no effect, because the sound ends with its scene or project
     * - `duration_ignored`: the film lasts longer than its duration
     * - `link_ignored`: a transition between clips or scenes is not played
     * - `transition_cut_short`: a transition is longer than the scenes beside it
     * - `look_ignored`: a caption style has no effect with this animation
     * - `empty_animation`: an animation has no time to play
     * - `animation_cut_short`: custom code runs longer than its element is visible
     * - `never_visible`: an element or caption is never visible
     * - `never_heard`: a sound has no time to play
     * - `empty_cut`: a clip is cut down to one frame
     * - `nothing_visible`: no element of a film, still or scene is visible
     * - `off_canvas`: an element lies outside the canvas
     * - `texts_overlap`: a text covers another text
     * - `low_contrast`: a text hardly contrasts with its background
     * - `text_overflow`: a text is higher than its box
     * - `tiny_text`: a text is too small to read
     * - `unknown_font`: the farm does not have a font
     * - `duplicate_id`: two clips have the same id
     * - `not_a_placeholder`: braces look like a placeholder but are painted unchanged
     * - `unused_variable`: the project does not use a variable
     * - `undefined_condition`: a condition names an undefined variable, similar to a defined one
     * - `unrenderable_defaults`: a template cannot be rendered with its default variables alone
     * - `stretched`: a clip or GIF is stretched to another aspect ratio
     * - `subtitle_file`: cues of a subtitle file are left out or read differently
     * - `media_damaged`: a sound or film is damaged and is used only in part
     * - `style_ignored`: the browser rejected CSS
     * - `missing_glyph`: no font has a glyph for a character
     * - `picture_damaged`: a picture could not be decoded completely
     * - `cut_off`: an element exceeds the largest size that is painted
     * - `url_registered_twice`: another webhook has the same url and shares events
     */
    readonly code: string
    readonly message: string
  }[]
}

export type Operations = {
  'DELETE /api/agent-connections/{id}': {
    readonly reply: {
      readonly deleted: true
    }
  }
  'DELETE /api/api-keys/{id}': {
    readonly reply: {
      readonly deleted: true
    }
  }
  'DELETE /api/auth/sessions': {
    readonly reply: {
      /** Sessions that ended: all but the one of this request */
      readonly ended: number
    }
  }
  'DELETE /api/auth/sessions/{id}': {
    readonly reply: {
      readonly deleted: true
    }
  }
  'DELETE /api/projects/{id}': {
    readonly reply: {
      readonly deleted: true
    }
  }
  'DELETE /api/templates/{id}': {
    readonly reply: {
      readonly deleted: true
    }
  }
  'DELETE /api/uploads/{id}': {
    readonly reply: {
      readonly deleted: true
    }
  }
  'DELETE /api/webhooks/{id}': {
    readonly reply: {
      readonly deleted: true
    }
  }
  'GET /api/agent-connections': {
    readonly query?: {
      readonly page?: number
      readonly pageSize?: number
      readonly limit?: number
    }
    readonly reply: {
      /** Address at which agents connect */
      readonly mcpUrl: string
      readonly connections: readonly {
        readonly id: string
        /** Name that the app gave itself; not verified */
        readonly clientName: string
        /** Address of the app’s metadata document; null: the app registered itself */
        readonly clientDocument: string | null
        /** Host that its sign-in was answered to, or the scheme of a local app */
        readonly redirectHost: string
        /** Email of the user who connected it */
        readonly connectedBy: string
        readonly profile: 'readonly' | 'creator' | 'automation' | 'developer'
        /** Credits that one render may cost */
        readonly renderCap: number
        /** Credits that its renders may cost in all; null: as many as the account has */
        readonly totalCap: number | null
        /** Items that one bulk may have */
        readonly bulkCap: number
        /** Credits held and charged so far */
        readonly creditsSpent: number
        readonly createdAt: string
        readonly lastUsedAt: string | null
        /** End of the connection, if the agent does not refresh its token before */
        readonly expiresAt: string
      }[]
      readonly page: number
      readonly pageSize: number
      /** Same as pageSize */
      readonly limit: number
      readonly total: number
    }
  }
  'GET /api/api-keys': {
    readonly query?: {
      readonly page?: number
      readonly pageSize?: number
      readonly limit?: number
      readonly usageDays?: number
    }
    readonly reply: {
      readonly apiKeys: readonly ApiKey[]
      readonly page: number
      readonly pageSize: number
      /** Same as pageSize */
      readonly limit: number
      readonly total: number
    }
  }
  'GET /api/api-keys/{id}/stats': {
    readonly query?: {
      readonly days?: number
      readonly timeframe?: string
    }
    readonly reply: {
      readonly id: string
      readonly requests: number
      readonly jobs: number
      /** Credits charged so far */
      readonly credits: number
      /** Jobs submitted with the key in the last hour */
      readonly lastHour: {
        readonly jobs: number
        /** Names of the newest of these jobs, once */
        readonly names: readonly string[]
      }
      readonly days: readonly {
        /** Day with use, in UTC */
        readonly date: string
        readonly requests: number
        readonly jobs: number
        readonly credits: number
      }[]
    }
  }
  'GET /api/auth/sessions': {
    readonly reply: {
      readonly sessions: readonly {
        readonly id: string
        readonly createdAt: string
        /** Sign-in or last refresh, at most 15 minutes before its last request */
        readonly lastUsedAt: string
        readonly userAgent: string
        /** The session of this request */
        readonly isCurrent: boolean
      }[]
    }
  }
  'GET /api/credits/balance': {
    readonly reply: {
      /** All credits of the account, those held for running jobs included */
      readonly balance: number
      /** Credits held for running jobs */
      readonly reserved: number
      /** Credits that can be spent now */
      readonly available: number
    }
  }
  'GET /api/credits/transactions': {
    readonly query?: {
      readonly kind?: 'grant' | 'correction' | 'hold' | 'top_up' | 'capture' | 'release'
      readonly from?: string
      readonly to?: string
      readonly page?: number
      readonly pageSize?: number
      readonly limit?: number
    }
    readonly reply: {
      readonly transactions: readonly {
        readonly id: number
        readonly kind: 'grant' | 'correction' | 'hold' | 'top_up' | 'capture' | 'release'
        readonly jobId: string | null
        /** Bulk of a hold that covers all its jobs */
        readonly bulkId: string | null
        readonly balanceChange: number
        readonly reservedChange: number
        /** Credits owned after the entry */
        readonly balance: number
        readonly note: string
        readonly createdAt: string
      }[]
      readonly page: number
      readonly pageSize: number
      /** Same as pageSize */
      readonly limit: number
      readonly total: number
    }
  }
  'GET /api/credits/usage-stats': {
    readonly query?: {
      readonly days?: number
      readonly timeframe?: string
    }
    readonly reply: {
      /** Jobs that ended */
      readonly jobs: number
      readonly completed: number
      /** Credits charged */
      readonly credits: number
      /** Seconds of finished film */
      readonly seconds: number
      readonly days: readonly {
        /** Day in UTC */
        readonly date: string
        /** Jobs that ended */
        readonly jobs: number
        readonly completed: number
        /** Credits charged */
        readonly credits: number
        /** Seconds of finished film */
        readonly seconds: number
      }[]
    }
  }
  'GET /api/jobs': {
    readonly query?: {
      readonly state?:
        | 'queued'
        | 'resolving'
        | 'rendering'
        | 'assembling'
        | 'completed'
        | 'failed'
        | 'cancelled'
        | readonly (
            | 'queued'
            | 'resolving'
            | 'rendering'
            | 'assembling'
            | 'completed'
            | 'failed'
            | 'cancelled'
          )[]
      readonly type?: 'video' | 'image'
      readonly templateId?: string
      readonly bulkId?: string
      readonly apiKeyId?: string
      readonly errorCode?:
        | 'invalid_request'
        | 'unauthorized'
        | 'insufficient_credits'
        | 'forbidden'
        | 'not_found'
        | 'method_not_allowed'
        | 'conflict'
        | 'quote_changed'
        | 'quote_expired'
        | 'body_too_large'
        | 'unsupported_media_type'
        | 'invalid_value'
        | 'invalid_project'
        | 'plan_limit'
        | 'too_many_requests'
        | 'media_unreachable'
        | 'media_refused'
        | 'media_invalid'
        | 'media_too_large'
        | 'element_invalid'
        | 'cancelled'
        | 'node_lost'
        | 'disk_full'
        | 'store_unavailable'
        | 'unavailable'
        | 'internal'
      readonly search?: string
      readonly createdFrom?: string
      readonly createdTo?: string
      readonly sort?:
        | 'createdAt'
        | '-createdAt'
        | 'finishedAt'
        | '-finishedAt'
        | 'name'
        | '-name'
        | 'credits'
        | '-credits'
      readonly counts?: boolean
      readonly page?: number
      readonly pageSize?: number
      readonly limit?: number
    }
    readonly reply: {
      readonly jobs: readonly Job[]
      /** Jobs in each state that match the other parameters, whatever `state` says */
      readonly counts?: {
        readonly queued: number
        readonly resolving: number
        readonly rendering: number
        readonly assembling: number
        readonly completed: number
        readonly failed: number
        readonly cancelled: number
      }
      readonly page: number
      readonly pageSize: number
      /** Same as pageSize */
      readonly limit: number
      readonly total: number
    }
  }
  'GET /api/jobs/{id}': {
    readonly reply: Job
  }
  'GET /api/jobs/{id}/deliveries': {
    readonly query?: {
      readonly page?: number
      readonly pageSize?: number
      readonly limit?: number
    }
    readonly reply: {
      readonly deliveries: readonly JobDelivery[]
      readonly page: number
      readonly pageSize: number
      /** Same as pageSize */
      readonly limit: number
      readonly total: number
    }
  }
  'GET /api/jobs/{id}/explain': {
    readonly reply: JobExplanation
  }
  'GET /api/jobs/{id}/request': {
    readonly query?: {
      readonly expand?: boolean
    }
    readonly reply: SentRequest
  }
  'GET /api/jobs/{id}/timeline': {
    readonly reply: Timeline
  }
  'GET /api/library/{kind}': {
    readonly query?: {
      readonly q?: string
      readonly aspect?: 'landscape' | 'portrait' | 'square'
      readonly offset?: number
      readonly page?: number
      readonly pageSize?: number
      readonly limit?: number
    }
    readonly reply: {
      readonly kind: 'examples' | 'design-templates' | 'canvas-presets' | 'shapes'
      readonly items: readonly LibraryItem[]
      readonly offset: number
      readonly page: number
      readonly pageSize: number
      /** Same as pageSize */
      readonly limit: number
      readonly total: number
    }
  }
  'GET /api/projects': {
    readonly query?: {
      readonly search?: string
      readonly page?: number
      readonly pageSize?: number
      readonly limit?: number
    }
    readonly reply: {
      readonly projects: readonly ProjectSummary[]
      readonly page: number
      readonly pageSize: number
      /** Same as pageSize */
      readonly limit: number
      readonly total: number
    }
  }
  'GET /api/projects/{id}': {
    readonly query?: {
      readonly version?: number
    }
    readonly reply: Project
  }
  'GET /api/projects/{id}/versions': {
    readonly reply: {
      /** The newest first: the current one and up to 50 before */
      readonly versions: readonly {
        readonly version: number
        readonly name: string
        readonly updatedAt: string
      }[]
      readonly total: number
    }
  }
  'GET /api/quotes/{id}': {
    readonly reply: Quote
  }
  'GET /api/render/bulk': {
    readonly query?: {
      readonly page?: number
      readonly pageSize?: number
      readonly limit?: number
    }
    readonly reply: {
      readonly bulks: readonly Bulk[]
      readonly page: number
      readonly pageSize: number
      /** Same as pageSize */
      readonly limit: number
      readonly total: number
    }
  }
  'GET /api/render/bulk/{id}': {
    readonly query?: {
      readonly state?:
        | 'queued'
        | 'resolving'
        | 'rendering'
        | 'assembling'
        | 'completed'
        | 'failed'
        | 'cancelled'
      readonly page?: number
      readonly pageSize?: number
      readonly limit?: number
    }
    readonly reply: {
      /** Same as bulkId */
      readonly id: string
      readonly bulkId: string
      readonly name: string
      readonly state: 'running' | 'finished'
      readonly progress: number
      /** Items of the request, refused ones included */
      readonly items: number
      readonly counts: {
        readonly queued: number
        readonly resolving: number
        readonly rendering: number
        readonly assembling: number
        readonly completed: number
        readonly failed: number
        readonly cancelled: number
      }
      /** Credits still held for the jobs of the bulk that have not ended */
      readonly creditsReserved: number
      readonly creditsCharged: number
      readonly errors: readonly {
        readonly index: number
        readonly details: readonly {
          /** Path like scenes[0].visuals[2].enterEnd; empty for the whole body */
          readonly field: string
          /** JSON pointer (RFC 6901) into the body as sent */
          readonly pointer: string
          readonly code: string
          readonly message: string
        }[]
      }[]
      readonly ts: {
        readonly created: string
        readonly finished: string | null
      }
      /** Jobs in the order of the items */
      readonly jobs: readonly Job[]
      /** Signed address of all files as a ZIP, good for 24 hours without an account; null until one is there */
      readonly zipUrl: string | null
      readonly page: number
      readonly pageSize: number
      /** Same as pageSize */
      readonly limit: number
      /** Number of jobs that match */
      readonly total: number
    }
  }
  'GET /api/render/bulk/{id}/results': {
    readonly query?: {
      readonly format?: 'json' | 'csv'
    }
    readonly reply: {
      readonly bulkId: string
      readonly results: readonly BulkResult[]
    }
  }
  'GET /api/render/elements': {
    readonly reply: {
      readonly elements: readonly Element[]
      /** Number of elements, without the parts */
      readonly total: number
      /** Lists filters, captions, the project and the other parts that elements belong to */
      readonly parts: readonly Element[]
      readonly notes: readonly string[]
    }
  }
  'GET /api/render/elements/{type}': {
    readonly reply: {
      readonly element: Element
    }
  }
  'GET /api/render/examples': {
    readonly query?: {
      readonly name?: string
    }
    readonly reply:
      | {
          readonly examples: readonly Example[]
          readonly total: number
        }
      | {
          readonly example: Example
        }
  }
  'GET /api/render/examples/{name}': {
    readonly reply: {
      readonly example: Example
    }
  }
  'GET /api/stock/providers': {
    readonly reply: {
      /** Always empty */
      readonly providers: readonly string[]
      readonly items: readonly string[]
      readonly total: number
    }
  }
  'GET /api/stock/search': {
    readonly query?: {
      readonly type?: 'image' | 'video' | 'gif' | 'audio'
      readonly provider?: string
      readonly query?: string
      readonly q?: string
      readonly page?: number
      readonly perPage?: number
      readonly limit?: number
    }
    readonly reply: {
      readonly items: readonly Readonly<Record<string, unknown>>[]
      readonly providers: readonly string[]
      readonly page: number
      readonly perPage: number
      readonly limit: number
      readonly total: number
    }
  }
  'GET /api/templates': {
    readonly query?: {
      readonly search?: string
      readonly archived?: boolean
      readonly page?: number
      readonly pageSize?: number
      readonly limit?: number
    }
    readonly reply: {
      readonly templates: readonly TemplateSummary[]
      readonly page: number
      readonly pageSize: number
      /** Same as pageSize */
      readonly limit: number
      readonly total: number
    }
  }
  'GET /api/templates/{id}': {
    readonly reply: Template
  }
  'GET /api/uploads': {
    readonly query?: {
      readonly search?: string
      readonly kind?: 'image' | 'video' | 'audio'
      readonly page?: number
      readonly pageSize?: number
      readonly limit?: number
    }
    readonly reply: {
      readonly uploads: readonly Upload[]
      /** Bytes of all that match, on every page */
      readonly bytes: number
      readonly page: number
      readonly pageSize: number
      /** Same as pageSize */
      readonly limit: number
      readonly total: number
    }
  }
  'GET /api/user/profile': {
    readonly query?: {
      readonly usage?: boolean
    }
    readonly reply: {
      readonly user: {
        readonly id: string
        readonly email: string | null
        readonly firstName: string
        readonly lastName: string
        readonly emailVerified: boolean
        readonly createdAt: string
      }
      readonly plan: {
        readonly name: string
        readonly limits: Readonly<Record<string, number>>
      }
      readonly credits: {
        readonly balance: number
        readonly reserved: number
      }
      /** Spending cap of the API key that asks, and what is left; null without one */
      readonly keyCredits: {
        readonly cap: number
        readonly left: number
      } | null
      readonly usage?: {
        /** Tasks of all jobs that run now */
        readonly tasksAtOnce: {
          readonly used: number
          readonly limit: number
        }
        /** Uploads, and media, bakes and segments that later jobs reuse */
        readonly storedBytes: {
          readonly used: number
          readonly limit: number
        }
        /** Null where the farm does not limit rates */
        readonly requestsPerMinute: {
          readonly used: number
          readonly limit: number
        } | null
        /** Jobs that have not ended; no plan limits them */
        readonly openJobs: number
      }
    }
  }
  'GET /api/webhooks': {
    readonly query?: {
      readonly page?: number
      readonly pageSize?: number
      readonly limit?: number
    }
    readonly reply: {
      readonly webhooks: readonly Webhook[]
      readonly page: number
      readonly pageSize: number
      /** Same as pageSize */
      readonly limit: number
      readonly total: number
      readonly usage: {
        readonly used: number
        /** Endpoints that the plan allows */
        readonly limit: number
      }
    }
  }
  'GET /api/webhooks/deliveries': {
    readonly query?: {
      readonly status?: 'pending' | 'succeeded' | 'failed'
      readonly event?: 'render.completed' | 'render.failed'
      readonly createdFrom?: string
      readonly jobId?: string
      readonly webhookId?: string
      readonly after?: string
      readonly page?: number
      readonly pageSize?: number
      readonly limit?: number
    }
    readonly reply: {
      readonly deliveries: readonly AccountDelivery[]
      /** Value of `after` for the following page; null on the last one */
      readonly next: string | null
      readonly page: number
      readonly pageSize: number
      /** Same as pageSize */
      readonly limit: number
      readonly total: number
    }
  }
  'GET /api/webhooks/{id}': {
    readonly reply: {
      readonly webhook: Webhook
    }
  }
  'GET /api/webhooks/{id}/deliveries': {
    readonly query?: {
      readonly page?: number
      readonly pageSize?: number
      readonly limit?: number
    }
    readonly reply: {
      readonly deliveries: readonly Delivery[]
      readonly page: number
      readonly pageSize: number
      /** Same as pageSize */
      readonly limit: number
      readonly total: number
    }
  }
  'PATCH /api/agent-connections/{id}': {
    readonly body: {
      readonly profile?: 'readonly' | 'creator' | 'automation' | 'developer'
      readonly renderCap?: number
      readonly totalCap?: number | null
      readonly bulkCap?: number
    }
    readonly reply: {
      readonly id: string
      /** Name that the app gave itself; not verified */
      readonly clientName: string
      /** Address of the app’s metadata document; null: the app registered itself */
      readonly clientDocument: string | null
      /** Host that its sign-in was answered to, or the scheme of a local app */
      readonly redirectHost: string
      /** Email of the user who connected it */
      readonly connectedBy: string
      readonly profile: 'readonly' | 'creator' | 'automation' | 'developer'
      /** Credits that one render may cost */
      readonly renderCap: number
      /** Credits that its renders may cost in all; null: as many as the account has */
      readonly totalCap: number | null
      /** Items that one bulk may have */
      readonly bulkCap: number
      /** Credits held and charged so far */
      readonly creditsSpent: number
      readonly createdAt: string
      readonly lastUsedAt: string | null
      /** End of the connection, if the agent does not refresh its token before */
      readonly expiresAt: string
    }
  }
  'PATCH /api/projects/{id}': {
    readonly body: ProjectPatch
    readonly reply: Project
  }
  'POST /api/api-keys': {
    readonly body: {
      readonly name: string
      readonly scopes?:
        | readonly ('render' | 'jobs' | 'account' | 'templates' | 'webhooks' | 'keys')[]
        | null
      readonly expiresAt?: string | null
      readonly spendingCap?: number | null
    }
    readonly reply: {
      readonly apiKey: ApiKey
      /** Shown only in this response */
      readonly key: string
    }
  }
  'POST /api/auth/one-time': {
    readonly body: {
      readonly code: string
    }
    readonly reply: {
      /** JWT to send as Authorization: Bearer */
      readonly accessToken: string
      readonly tokenType: 'Bearer'
      /** Seconds */
      readonly expiresIn: number
      /** Token that is valid once, for the next pair; absent when a cookie holds it */
      readonly refreshToken?: string
    }
  }
  'POST /api/auth/password': {
    readonly body: {
      readonly current: string
      readonly next: string
    }
    readonly reply: {
      readonly changed: true
    }
  }
  'POST /api/auth/refresh': {
    readonly body: {} & (
      | { readonly refreshToken: string; readonly cookie?: never }
      | { readonly cookie: true; readonly refreshToken?: never }
    )
    readonly reply: {
      /** JWT to send as Authorization: Bearer */
      readonly accessToken: string
      readonly tokenType: 'Bearer'
      /** Seconds */
      readonly expiresIn: number
      /** Token that is valid once, for the next pair; absent when a cookie holds it */
      readonly refreshToken?: string
    }
  }
  'POST /api/auth/sign-in': {
    readonly body: {
      readonly email: string
      readonly password: string
      /** Keeps the refresh token in a cookie, for pages of this service; it is not answered */
      readonly cookie?: boolean
    }
    readonly reply: {
      /** JWT to send as Authorization: Bearer */
      readonly accessToken: string
      readonly tokenType: 'Bearer'
      /** Seconds */
      readonly expiresIn: number
      /** Token that is valid once, for the next pair; absent when a cookie holds it */
      readonly refreshToken?: string
    }
  }
  'POST /api/auth/sign-out': {
    readonly reply: {
      readonly signedOut: true
    }
  }
  'POST /api/credits/estimate': {
    readonly body: RenderRequest
    readonly reply: {
      /** Credits that a submission holds */
      readonly creditsRequired: number
      /** False when the length depends on media that are not read yet. The hold is topped up once they are */
      readonly exact: boolean
      /** Most credits that the job can cost; above creditsRequired when exact is false */
      readonly creditsMost: number
      /** Seconds; 0 for a still; the shortest length when exact is false */
      readonly duration: number
      readonly frames: number
      readonly breakdown: readonly {
        readonly item: string
        readonly quantity: number
        readonly creditsEach: number
        readonly credits: number
      }[]
    }
  }
  'POST /api/jobs/{id}/cancel': {
    readonly reply: Job
  }
  'POST /api/jobs/{id}/retry': {
    readonly body: {
      readonly overrides?: RenderOverrides
    }
    readonly reply: {
      readonly jobId: string
      readonly status: 'queued'
      /** Position in the queue: 1 is next; counted up to 1000 */
      readonly queuePosition: number
      readonly creditsReserved: number
    }
  }
  'POST /api/projects': {
    readonly body: NewProject
    readonly reply: Project
  }
  'POST /api/projects/{id}/restore': {
    readonly body: ProjectRestoring
    readonly reply: Project
  }
  'POST /api/quotes': {
    readonly body: QuoteRequest
    readonly reply: {
      readonly id: string
      readonly kind: 'job' | 'bulk'
      /** A used quote has made its job or bulk; rendered again it answers the same */
      readonly state: 'open' | 'used' | 'expired'
      /** Name of the film, the still or the bulk */
      readonly name: string | null
      /** Credits that rendering it holds */
      readonly creditsRequired: number
      /** False when the length depends on media that are not read yet. The hold is topped up once they are */
      readonly exact: boolean
      /** Most credits that it can cost */
      readonly creditsMost: number
      /** Seconds, of all films of a bulk together; 0 for stills */
      readonly duration: number
      readonly template: string | null
      readonly project: string | null
      /** Its job, once it is used */
      readonly jobId: string | null
      /** Its bulk, once it is used */
      readonly bulkId: string | null
      readonly createdAt: string
      readonly expiresAt: string
      /** Warnings of the one job */
      readonly warnings: readonly {
        /** Path as in an error; empty for the whole project */
        readonly field: string
        /** JSON pointer (RFC 6901) into the body as sent */
        readonly pointer: string
        /**
         * - `position_ignored`: x and y have no effect, because position is not custom
         * - `size_ignored`: width or height has no effect, because the resolution sets it
         * - `text_ignored`: text has no effect, because html is given
         * - `exit_ignored`: exit has no effect, because the sound ends with its scene or project
         * - `duration_ignored`: the film lasts longer than its duration
         * - `link_ignored`: a transition between clips or scenes is not played
         * - `transition_cut_short`: a transition is longer than the scenes beside it
         * - `look_ignored`: a caption style has no effect with this animation
         * - `empty_animation`: an animation has no time to play
         * - `animation_cut_short`: custom code runs longer than its element is visible
         * - `never_visible`: an element or caption is never visible
         * - `never_heard`: a sound has no time to play
         * - `empty_cut`: a clip is cut down to one frame
         * - `nothing_visible`: no element of a film, still or scene is visible
         * - `off_canvas`: an element lies outside the canvas
         * - `texts_overlap`: a text covers another text
         * - `low_contrast`: a text hardly contrasts with its background
         * - `text_overflow`: a text is higher than its box
         * - `tiny_text`: a text is too small to read
         * - `unknown_font`: the farm does not have a font
         * - `duplicate_id`: two clips have the same id
         * - `not_a_placeholder`: braces look like a placeholder but are painted unchanged
         * - `unused_variable`: the project does not use a variable
         * - `undefined_condition`: a condition names an undefined variable, similar to a defined one
         * - `unrenderable_defaults`: a template cannot be rendered with its default variables alone
         * - `stretched`: a clip or GIF is stretched to another aspect ratio
         * - `subtitle_file`: cues of a subtitle file are left out or read differently
         * - `media_damaged`: a sound or film is damaged and is used only in part
         * - `style_ignored`: the browser rejected CSS
         * - `missing_glyph`: no font has a glyph for a character
         * - `picture_damaged`: a picture could not be decoded completely
         * - `cut_off`: an element exceeds the largest size that is painted
         * - `url_registered_twice`: another webhook has the same url and shares events
         */
        readonly code: string
        readonly message: string
      }[]
      readonly errors: readonly {
        readonly index: number
        readonly details: readonly {
          /** Path like scenes[0].visuals[2].enterEnd; empty for the whole body */
          readonly field: string
          /** JSON pointer (RFC 6901) into the body as sent */
          readonly pointer: string
          readonly code: string
          readonly message: string
        }[]
      }[]
      readonly itemWarnings: readonly {
        /** Path as in an error; empty for the whole project */
        readonly field: string
        /** JSON pointer (RFC 6901) into the body as sent */
        readonly pointer: string
        /**
         * - `position_ignored`: x and y have no effect, because position is not custom
         * - `size_ignored`: width or height has no effect, because the resolution sets it
         * - `text_ignored`: text has no effect, because html is given
         * - `exit_ignored`: exit has no effect, because the sound ends with its scene or project
         * - `duration_ignored`: the film lasts longer than its duration
         * - `link_ignored`: a transition between clips or scenes is not played
         * - `transition_cut_short`: a transition is longer than the scenes beside it
         * - `look_ignored`: a caption style has no effect with this animation
         * - `empty_animation`: an animation has no time to play
         * - `animation_cut_short`: custom code runs longer than its element is visible
         * - `never_visible`: an element or caption is never visible
         * - `never_heard`: a sound has no time to play
         * - `empty_cut`: a clip is cut down to one frame
         * - `nothing_visible`: no element of a film, still or scene is visible
         * - `off_canvas`: an element lies outside the canvas
         * - `texts_overlap`: a text covers another text
         * - `low_contrast`: a text hardly contrasts with its background
         * - `text_overflow`: a text is higher than its box
         * - `tiny_text`: a text is too small to read
         * - `unknown_font`: the farm does not have a font
         * - `duplicate_id`: two clips have the same id
         * - `not_a_placeholder`: braces look like a placeholder but are painted unchanged
         * - `unused_variable`: the project does not use a variable
         * - `undefined_condition`: a condition names an undefined variable, similar to a defined one
         * - `unrenderable_defaults`: a template cannot be rendered with its default variables alone
         * - `stretched`: a clip or GIF is stretched to another aspect ratio
         * - `subtitle_file`: cues of a subtitle file are left out or read differently
         * - `media_damaged`: a sound or film is damaged and is used only in part
         * - `style_ignored`: the browser rejected CSS
         * - `missing_glyph`: no font has a glyph for a character
         * - `picture_damaged`: a picture could not be decoded completely
         * - `cut_off`: an element exceeds the largest size that is painted
         * - `url_registered_twice`: another webhook has the same url and shares events
         */
        readonly code: string
        readonly message: string
        /** Number of accepted items with this warning; `pointer` refers to the first of them */
        readonly items: number
      }[]
    }
  }
  'POST /api/quotes/{id}/render': {
    readonly reply: {
      readonly quoteId: string
      readonly jobId?: string
      readonly bulkId?: string
      readonly jobIds: readonly string[]
      readonly creditsReserved: number
    }
  }
  'POST /api/render': {
    readonly body: RenderRequest
    readonly reply: {
      readonly jobId: string
      readonly status: 'queued'
      /** Position in the queue: 1 is next; counted up to 1000 */
      readonly queuePosition: number
      readonly creditsReserved: number
    }
  }
  'POST /api/render/api-key': {
    readonly body: RenderRequest
    readonly reply: {
      readonly jobId: string
      readonly status: 'queued'
      /** Position in the queue: 1 is next; counted up to 1000 */
      readonly queuePosition: number
      readonly creditsReserved: number
    }
  }
  'POST /api/render/bulk': {
    readonly body: BulkRequest
    readonly reply: {
      readonly bulkId: string
      readonly jobIds: readonly string[]
      readonly errors: readonly {
        readonly index: number
        readonly details: readonly {
          /** Path like scenes[0].visuals[2].enterEnd; empty for the whole body */
          readonly field: string
          /** JSON pointer (RFC 6901) into the body as sent */
          readonly pointer: string
          readonly code: string
          readonly message: string
        }[]
      }[]
      readonly warnings: readonly {
        /** Path as in an error; empty for the whole project */
        readonly field: string
        /** JSON pointer (RFC 6901) into the body as sent */
        readonly pointer: string
        /**
         * - `position_ignored`: x and y have no effect, because position is not custom
         * - `size_ignored`: width or height has no effect, because the resolution sets it
         * - `text_ignored`: text has no effect, because html is given
         * - `exit_ignored`: exit has no effect, because the sound ends with its scene or project
         * - `duration_ignored`: the film lasts longer than its duration
         * - `link_ignored`: a transition between clips or scenes is not played
         * - `transition_cut_short`: a transition is longer than the scenes beside it
         * - `look_ignored`: a caption style has no effect with this animation
         * - `empty_animation`: an animation has no time to play
         * - `animation_cut_short`: custom code runs longer than its element is visible
         * - `never_visible`: an element or caption is never visible
         * - `never_heard`: a sound has no time to play
         * - `empty_cut`: a clip is cut down to one frame
         * - `nothing_visible`: no element of a film, still or scene is visible
         * - `off_canvas`: an element lies outside the canvas
         * - `texts_overlap`: a text covers another text
         * - `low_contrast`: a text hardly contrasts with its background
         * - `text_overflow`: a text is higher than its box
         * - `tiny_text`: a text is too small to read
         * - `unknown_font`: the farm does not have a font
         * - `duplicate_id`: two clips have the same id
         * - `not_a_placeholder`: braces look like a placeholder but are painted unchanged
         * - `unused_variable`: the project does not use a variable
         * - `undefined_condition`: a condition names an undefined variable, similar to a defined one
         * - `unrenderable_defaults`: a template cannot be rendered with its default variables alone
         * - `stretched`: a clip or GIF is stretched to another aspect ratio
         * - `subtitle_file`: cues of a subtitle file are left out or read differently
         * - `media_damaged`: a sound or film is damaged and is used only in part
         * - `style_ignored`: the browser rejected CSS
         * - `missing_glyph`: no font has a glyph for a character
         * - `picture_damaged`: a picture could not be decoded completely
         * - `cut_off`: an element exceeds the largest size that is painted
         * - `url_registered_twice`: another webhook has the same url and shares events
         */
        readonly code: string
        readonly message: string
        /** Number of accepted items with this warning; `pointer` refers to the first of them */
        readonly items: number
      }[]
      readonly creditsReserved: number
    }
  }
  'POST /api/render/bulk/api-key': {
    readonly body: BulkRequest
    readonly reply: {
      readonly bulkId: string
      readonly jobIds: readonly string[]
      readonly errors: readonly {
        readonly index: number
        readonly details: readonly {
          /** Path like scenes[0].visuals[2].enterEnd; empty for the whole body */
          readonly field: string
          /** JSON pointer (RFC 6901) into the body as sent */
          readonly pointer: string
          readonly code: string
          readonly message: string
        }[]
      }[]
      readonly warnings: readonly {
        /** Path as in an error; empty for the whole project */
        readonly field: string
        /** JSON pointer (RFC 6901) into the body as sent */
        readonly pointer: string
        /**
         * - `position_ignored`: x and y have no effect, because position is not custom
         * - `size_ignored`: width or height has no effect, because the resolution sets it
         * - `text_ignored`: text has no effect, because html is given
         * - `exit_ignored`: exit has no effect, because the sound ends with its scene or project
         * - `duration_ignored`: the film lasts longer than its duration
         * - `link_ignored`: a transition between clips or scenes is not played
         * - `transition_cut_short`: a transition is longer than the scenes beside it
         * - `look_ignored`: a caption style has no effect with this animation
         * - `empty_animation`: an animation has no time to play
         * - `animation_cut_short`: custom code runs longer than its element is visible
         * - `never_visible`: an element or caption is never visible
         * - `never_heard`: a sound has no time to play
         * - `empty_cut`: a clip is cut down to one frame
         * - `nothing_visible`: no element of a film, still or scene is visible
         * - `off_canvas`: an element lies outside the canvas
         * - `texts_overlap`: a text covers another text
         * - `low_contrast`: a text hardly contrasts with its background
         * - `text_overflow`: a text is higher than its box
         * - `tiny_text`: a text is too small to read
         * - `unknown_font`: the farm does not have a font
         * - `duplicate_id`: two clips have the same id
         * - `not_a_placeholder`: braces look like a placeholder but are painted unchanged
         * - `unused_variable`: the project does not use a variable
         * - `undefined_condition`: a condition names an undefined variable, similar to a defined one
         * - `unrenderable_defaults`: a template cannot be rendered with its default variables alone
         * - `stretched`: a clip or GIF is stretched to another aspect ratio
         * - `subtitle_file`: cues of a subtitle file are left out or read differently
         * - `media_damaged`: a sound or film is damaged and is used only in part
         * - `style_ignored`: the browser rejected CSS
         * - `missing_glyph`: no font has a glyph for a character
         * - `picture_damaged`: a picture could not be decoded completely
         * - `cut_off`: an element exceeds the largest size that is painted
         * - `url_registered_twice`: another webhook has the same url and shares events
         */
        readonly code: string
        readonly message: string
        /** Number of accepted items with this warning; `pointer` refers to the first of them */
        readonly items: number
      }[]
      readonly creditsReserved: number
    }
  }
  'POST /api/render/bulk/{id}/cancel': {
    readonly reply: Bulk
  }
  'POST /api/render/bulk/{id}/retry': {
    readonly body: {
      /** States of the jobs to render again; `failed` if absent */
      readonly states?: readonly ('failed' | 'cancelled')[]
      /** Only these jobs of the bulk; all if absent */
      readonly jobIds?: readonly string[]
    }
    readonly reply: {
      readonly bulkId: string
      readonly jobIds: readonly string[]
      readonly errors: readonly {
        readonly index: number
        readonly details: readonly {
          /** Path like scenes[0].visuals[2].enterEnd; empty for the whole body */
          readonly field: string
          /** JSON pointer (RFC 6901) into the body as sent */
          readonly pointer: string
          readonly code: string
          readonly message: string
        }[]
      }[]
      readonly warnings: readonly {
        /** Path as in an error; empty for the whole project */
        readonly field: string
        /** JSON pointer (RFC 6901) into the body as sent */
        readonly pointer: string
        /**
         * - `position_ignored`: x and y have no effect, because position is not custom
         * - `size_ignored`: width or height has no effect, because the resolution sets it
         * - `text_ignored`: text has no effect, because html is given
         * - `exit_ignored`: exit has no effect, because the sound ends with its scene or project
         * - `duration_ignored`: the film lasts longer than its duration
         * - `link_ignored`: a transition between clips or scenes is not played
         * - `transition_cut_short`: a transition is longer than the scenes beside it
         * - `look_ignored`: a caption style has no effect with this animation
         * - `empty_animation`: an animation has no time to play
         * - `animation_cut_short`: custom code runs longer than its element is visible
         * - `never_visible`: an element or caption is never visible
         * - `never_heard`: a sound has no time to play
         * - `empty_cut`: a clip is cut down to one frame
         * - `nothing_visible`: no element of a film, still or scene is visible
         * - `off_canvas`: an element lies outside the canvas
         * - `texts_overlap`: a text covers another text
         * - `low_contrast`: a text hardly contrasts with its background
         * - `text_overflow`: a text is higher than its box
         * - `tiny_text`: a text is too small to read
         * - `unknown_font`: the farm does not have a font
         * - `duplicate_id`: two clips have the same id
         * - `not_a_placeholder`: braces look like a placeholder but are painted unchanged
         * - `unused_variable`: the project does not use a variable
         * - `undefined_condition`: a condition names an undefined variable, similar to a defined one
         * - `unrenderable_defaults`: a template cannot be rendered with its default variables alone
         * - `stretched`: a clip or GIF is stretched to another aspect ratio
         * - `subtitle_file`: cues of a subtitle file are left out or read differently
         * - `media_damaged`: a sound or film is damaged and is used only in part
         * - `style_ignored`: the browser rejected CSS
         * - `missing_glyph`: no font has a glyph for a character
         * - `picture_damaged`: a picture could not be decoded completely
         * - `cut_off`: an element exceeds the largest size that is painted
         * - `url_registered_twice`: another webhook has the same url and shares events
         */
        readonly code: string
        readonly message: string
        /** Number of accepted items with this warning; `pointer` refers to the first of them */
        readonly items: number
      }[]
      readonly creditsReserved: number
    }
  }
  'POST /api/render/creative-plan': {
    readonly body: {
      readonly brief: string
      readonly type?: 'video' | 'image'
      readonly aspectRatio?: string
      readonly variationMode?: 'consistent' | 'fresh' | 'explore'
      readonly variationSeed?: string | number
      readonly exploreCount?: number
      readonly recentAssetSlugs?: readonly string[]
      readonly duration?: number
      readonly style?: string
      readonly motionIntensity?: string
      readonly preferredMedia?: string
      readonly brand?: Designer
      readonly name?: string
    }
    readonly reply: {
      readonly kind: 'example-plan'
      /** Explanation of how the plan was made */
      readonly method: string
      readonly brief: string
      readonly name: string
      readonly decision: 'adapt-example' | 'no-match'
      readonly example: {
        readonly slug: string
        readonly title: string
        readonly description: string
        readonly type: string
        readonly thumbnail: string
        readonly contentUrl: string
        readonly score: number
        readonly matchedWords: readonly string[]
      }
      readonly candidates: readonly {
        readonly slug: string
        readonly title: string
        readonly description: string
        readonly type: string
        readonly thumbnail: string
        readonly contentUrl: string
        readonly score: number
        readonly matchedWords: readonly string[]
      }[]
      readonly storyboard: readonly {
        readonly id: string
        readonly duration: number | null
        readonly elements: number
      }[]
      /** Variables that take your own words */
      readonly variables: Readonly<Record<string, unknown>>
      /** Payload of the example, unchanged */
      readonly payload: Readonly<Record<string, unknown>>
      readonly valid: true
      /** Credits that a submission of the payload would hold */
      readonly creditsRequired: number
      readonly warnings: readonly {
        /** Path as in an error; empty for the whole project */
        readonly field: string
        /** JSON pointer (RFC 6901) into the body as sent */
        readonly pointer: string
        /**
         * - `position_ignored`: x and y have no effect, because position is not custom
         * - `size_ignored`: width or height has no effect, because the resolution sets it
         * - `text_ignored`: text has no effect, because html is given
         * - `exit_ignored`: exit has no effect, because the sound ends with its scene or project
         * - `duration_ignored`: the film lasts longer than its duration
         * - `link_ignored`: a transition between clips or scenes is not played
         * - `transition_cut_short`: a transition is longer than the scenes beside it
         * - `look_ignored`: a caption style has no effect with this animation
         * - `empty_animation`: an animation has no time to play
         * - `animation_cut_short`: custom code runs longer than its element is visible
         * - `never_visible`: an element or caption is never visible
         * - `never_heard`: a sound has no time to play
         * - `empty_cut`: a clip is cut down to one frame
         * - `nothing_visible`: no element of a film, still or scene is visible
         * - `off_canvas`: an element lies outside the canvas
         * - `texts_overlap`: a text covers another text
         * - `low_contrast`: a text hardly contrasts with its background
         * - `text_overflow`: a text is higher than its box
         * - `tiny_text`: a text is too small to read
         * - `unknown_font`: the farm does not have a font
         * - `duplicate_id`: two clips have the same id
         * - `not_a_placeholder`: braces look like a placeholder but are painted unchanged
         * - `unused_variable`: the project does not use a variable
         * - `undefined_condition`: a condition names an undefined variable, similar to a defined one
         * - `unrenderable_defaults`: a template cannot be rendered with its default variables alone
         * - `stretched`: a clip or GIF is stretched to another aspect ratio
         * - `subtitle_file`: cues of a subtitle file are left out or read differently
         * - `media_damaged`: a sound or film is damaged and is used only in part
         * - `style_ignored`: the browser rejected CSS
         * - `missing_glyph`: no font has a glyph for a character
         * - `picture_damaged`: a picture could not be decoded completely
         * - `cut_off`: an element exceeds the largest size that is painted
         * - `url_registered_twice`: another webhook has the same url and shares events
         */
        readonly code: string
        readonly message: string
      }[]
      readonly searchQueries: {
        readonly designTemplates: readonly string[]
        readonly canvasPresets: readonly string[]
      }
      /** Fields of the brief that word matching cannot consider */
      readonly notUsed: readonly string[]
    }
  }
  'POST /api/render/creative-plan/api-key': {
    readonly body: {
      readonly brief: string
      readonly type?: 'video' | 'image'
      readonly aspectRatio?: string
      readonly variationMode?: 'consistent' | 'fresh' | 'explore'
      readonly variationSeed?: string | number
      readonly exploreCount?: number
      readonly recentAssetSlugs?: readonly string[]
      readonly duration?: number
      readonly style?: string
      readonly motionIntensity?: string
      readonly preferredMedia?: string
      readonly brand?: Designer
      readonly name?: string
    }
    readonly reply: {
      readonly kind: 'example-plan'
      /** Explanation of how the plan was made */
      readonly method: string
      readonly brief: string
      readonly name: string
      readonly decision: 'adapt-example' | 'no-match'
      readonly example: {
        readonly slug: string
        readonly title: string
        readonly description: string
        readonly type: string
        readonly thumbnail: string
        readonly contentUrl: string
        readonly score: number
        readonly matchedWords: readonly string[]
      }
      readonly candidates: readonly {
        readonly slug: string
        readonly title: string
        readonly description: string
        readonly type: string
        readonly thumbnail: string
        readonly contentUrl: string
        readonly score: number
        readonly matchedWords: readonly string[]
      }[]
      readonly storyboard: readonly {
        readonly id: string
        readonly duration: number | null
        readonly elements: number
      }[]
      /** Variables that take your own words */
      readonly variables: Readonly<Record<string, unknown>>
      /** Payload of the example, unchanged */
      readonly payload: Readonly<Record<string, unknown>>
      readonly valid: true
      /** Credits that a submission of the payload would hold */
      readonly creditsRequired: number
      readonly warnings: readonly {
        /** Path as in an error; empty for the whole project */
        readonly field: string
        /** JSON pointer (RFC 6901) into the body as sent */
        readonly pointer: string
        /**
         * - `position_ignored`: x and y have no effect, because position is not custom
         * - `size_ignored`: width or height has no effect, because the resolution sets it
         * - `text_ignored`: text has no effect, because html is given
         * - `exit_ignored`: exit has no effect, because the sound ends with its scene or project
         * - `duration_ignored`: the film lasts longer than its duration
         * - `link_ignored`: a transition between clips or scenes is not played
         * - `transition_cut_short`: a transition is longer than the scenes beside it
         * - `look_ignored`: a caption style has no effect with this animation
         * - `empty_animation`: an animation has no time to play
         * - `animation_cut_short`: custom code runs longer than its element is visible
         * - `never_visible`: an element or caption is never visible
         * - `never_heard`: a sound has no time to play
         * - `empty_cut`: a clip is cut down to one frame
         * - `nothing_visible`: no element of a film, still or scene is visible
         * - `off_canvas`: an element lies outside the canvas
         * - `texts_overlap`: a text covers another text
         * - `low_contrast`: a text hardly contrasts with its background
         * - `text_overflow`: a text is higher than its box
         * - `tiny_text`: a text is too small to read
         * - `unknown_font`: the farm does not have a font
         * - `duplicate_id`: two clips have the same id
         * - `not_a_placeholder`: braces look like a placeholder but are painted unchanged
         * - `unused_variable`: the project does not use a variable
         * - `undefined_condition`: a condition names an undefined variable, similar to a defined one
         * - `unrenderable_defaults`: a template cannot be rendered with its default variables alone
         * - `stretched`: a clip or GIF is stretched to another aspect ratio
         * - `subtitle_file`: cues of a subtitle file are left out or read differently
         * - `media_damaged`: a sound or film is damaged and is used only in part
         * - `style_ignored`: the browser rejected CSS
         * - `missing_glyph`: no font has a glyph for a character
         * - `picture_damaged`: a picture could not be decoded completely
         * - `cut_off`: an element exceeds the largest size that is painted
         * - `url_registered_twice`: another webhook has the same url and shares events
         */
        readonly code: string
        readonly message: string
      }[]
      readonly searchQueries: {
        readonly designTemplates: readonly string[]
        readonly canvasPresets: readonly string[]
      }
      /** Fields of the brief that word matching cannot consider */
      readonly notUsed: readonly string[]
    }
  }
  'POST /api/render/image': {
    readonly body: StillRequest
    readonly reply: {
      readonly jobId: string
      readonly status: 'queued'
      /** Position in the queue: 1 is next; counted up to 1000 */
      readonly queuePosition: number
      readonly creditsReserved: number
    }
  }
  'POST /api/render/image/api-key': {
    readonly body: StillRequest
    readonly reply: {
      readonly jobId: string
      readonly status: 'queued'
      /** Position in the queue: 1 is next; counted up to 1000 */
      readonly queuePosition: number
      readonly creditsReserved: number
    }
  }
  'POST /api/render/image/bulk': {
    readonly body: StillBulkRequest
    readonly reply: {
      readonly bulkId: string
      readonly jobIds: readonly string[]
      readonly errors: readonly {
        readonly index: number
        readonly details: readonly {
          /** Path like scenes[0].visuals[2].enterEnd; empty for the whole body */
          readonly field: string
          /** JSON pointer (RFC 6901) into the body as sent */
          readonly pointer: string
          readonly code: string
          readonly message: string
        }[]
      }[]
      readonly warnings: readonly {
        /** Path as in an error; empty for the whole project */
        readonly field: string
        /** JSON pointer (RFC 6901) into the body as sent */
        readonly pointer: string
        /**
         * - `position_ignored`: x and y have no effect, because position is not custom
         * - `size_ignored`: width or height has no effect, because the resolution sets it
         * - `text_ignored`: text has no effect, because html is given
         * - `exit_ignored`: exit has no effect, because the sound ends with its scene or project
         * - `duration_ignored`: the film lasts longer than its duration
         * - `link_ignored`: a transition between clips or scenes is not played
         * - `transition_cut_short`: a transition is longer than the scenes beside it
         * - `look_ignored`: a caption style has no effect with this animation
         * - `empty_animation`: an animation has no time to play
         * - `animation_cut_short`: custom code runs longer than its element is visible
         * - `never_visible`: an element or caption is never visible
         * - `never_heard`: a sound has no time to play
         * - `empty_cut`: a clip is cut down to one frame
         * - `nothing_visible`: no element of a film, still or scene is visible
         * - `off_canvas`: an element lies outside the canvas
         * - `texts_overlap`: a text covers another text
         * - `low_contrast`: a text hardly contrasts with its background
         * - `text_overflow`: a text is higher than its box
         * - `tiny_text`: a text is too small to read
         * - `unknown_font`: the farm does not have a font
         * - `duplicate_id`: two clips have the same id
         * - `not_a_placeholder`: braces look like a placeholder but are painted unchanged
         * - `unused_variable`: the project does not use a variable
         * - `undefined_condition`: a condition names an undefined variable, similar to a defined one
         * - `unrenderable_defaults`: a template cannot be rendered with its default variables alone
         * - `stretched`: a clip or GIF is stretched to another aspect ratio
         * - `subtitle_file`: cues of a subtitle file are left out or read differently
         * - `media_damaged`: a sound or film is damaged and is used only in part
         * - `style_ignored`: the browser rejected CSS
         * - `missing_glyph`: no font has a glyph for a character
         * - `picture_damaged`: a picture could not be decoded completely
         * - `cut_off`: an element exceeds the largest size that is painted
         * - `url_registered_twice`: another webhook has the same url and shares events
         */
        readonly code: string
        readonly message: string
        /** Number of accepted items with this warning; `pointer` refers to the first of them */
        readonly items: number
      }[]
      readonly creditsReserved: number
    }
  }
  'POST /api/render/image/bulk/api-key': {
    readonly body: StillBulkRequest
    readonly reply: {
      readonly bulkId: string
      readonly jobIds: readonly string[]
      readonly errors: readonly {
        readonly index: number
        readonly details: readonly {
          /** Path like scenes[0].visuals[2].enterEnd; empty for the whole body */
          readonly field: string
          /** JSON pointer (RFC 6901) into the body as sent */
          readonly pointer: string
          readonly code: string
          readonly message: string
        }[]
      }[]
      readonly warnings: readonly {
        /** Path as in an error; empty for the whole project */
        readonly field: string
        /** JSON pointer (RFC 6901) into the body as sent */
        readonly pointer: string
        /**
         * - `position_ignored`: x and y have no effect, because position is not custom
         * - `size_ignored`: width or height has no effect, because the resolution sets it
         * - `text_ignored`: text has no effect, because html is given
         * - `exit_ignored`: exit has no effect, because the sound ends with its scene or project
         * - `duration_ignored`: the film lasts longer than its duration
         * - `link_ignored`: a transition between clips or scenes is not played
         * - `transition_cut_short`: a transition is longer than the scenes beside it
         * - `look_ignored`: a caption style has no effect with this animation
         * - `empty_animation`: an animation has no time to play
         * - `animation_cut_short`: custom code runs longer than its element is visible
         * - `never_visible`: an element or caption is never visible
         * - `never_heard`: a sound has no time to play
         * - `empty_cut`: a clip is cut down to one frame
         * - `nothing_visible`: no element of a film, still or scene is visible
         * - `off_canvas`: an element lies outside the canvas
         * - `texts_overlap`: a text covers another text
         * - `low_contrast`: a text hardly contrasts with its background
         * - `text_overflow`: a text is higher than its box
         * - `tiny_text`: a text is too small to read
         * - `unknown_font`: the farm does not have a font
         * - `duplicate_id`: two clips have the same id
         * - `not_a_placeholder`: braces look like a placeholder but are painted unchanged
         * - `unused_variable`: the project does not use a variable
         * - `undefined_condition`: a condition names an undefined variable, similar to a defined one
         * - `unrenderable_defaults`: a template cannot be rendered with its default variables alone
         * - `stretched`: a clip or GIF is stretched to another aspect ratio
         * - `subtitle_file`: cues of a subtitle file are left out or read differently
         * - `media_damaged`: a sound or film is damaged and is used only in part
         * - `style_ignored`: the browser rejected CSS
         * - `missing_glyph`: no font has a glyph for a character
         * - `picture_damaged`: a picture could not be decoded completely
         * - `cut_off`: an element exceeds the largest size that is painted
         * - `url_registered_twice`: another webhook has the same url and shares events
         */
        readonly code: string
        readonly message: string
        /** Number of accepted items with this warning; `pointer` refers to the first of them */
        readonly items: number
      }[]
      readonly creditsReserved: number
    }
  }
  'POST /api/render/preview': {
    readonly body: PreviewRequest
    readonly reply: {
      readonly status: 'painted'
      /** True when the sheet was in the store */
      readonly cached: boolean
      /** Address of the JPEG, until urlExpiresAt */
      readonly url: string
      readonly urlExpiresAt: string
      /** The JPEG as base64, when the request asked for it inline */
      readonly image?: string
      /** Bytes of the JPEG */
      readonly size: number
      readonly width: number
      readonly height: number
      /** JPEG quality, the highest that fits maxBytes */
      readonly quality: number
      /** Is at most half of the film's width */
      readonly frameWidth: number
      /** Is at most half of the film's height */
      readonly frameHeight: number
      readonly frames: readonly {
        /** Seconds of the film */
        readonly time: number
        /** Left edge of the frame on the sheet, px */
        readonly x: number
        /** Top edge of the frame on the sheet, px */
        readonly y: number
      }[]
      readonly warnings: readonly {
        /** Path as in an error; empty for the whole project */
        readonly field: string
        /** JSON pointer (RFC 6901) into the body as sent */
        readonly pointer: string
        /**
         * - `position_ignored`: x and y have no effect, because position is not custom
         * - `size_ignored`: width or height has no effect, because the resolution sets it
         * - `text_ignored`: text has no effect, because html is given
         * - `exit_ignored`: exit has no effect, because the sound ends with its scene or project
         * - `duration_ignored`: the film lasts longer than its duration
         * - `link_ignored`: a transition between clips or scenes is not played
         * - `transition_cut_short`: a transition is longer than the scenes beside it
         * - `look_ignored`: a caption style has no effect with this animation
         * - `empty_animation`: an animation has no time to play
         * - `animation_cut_short`: custom code runs longer than its element is visible
         * - `never_visible`: an element or caption is never visible
         * - `never_heard`: a sound has no time to play
         * - `empty_cut`: a clip is cut down to one frame
         * - `nothing_visible`: no element of a film, still or scene is visible
         * - `off_canvas`: an element lies outside the canvas
         * - `texts_overlap`: a text covers another text
         * - `low_contrast`: a text hardly contrasts with its background
         * - `text_overflow`: a text is higher than its box
         * - `tiny_text`: a text is too small to read
         * - `unknown_font`: the farm does not have a font
         * - `duplicate_id`: two clips have the same id
         * - `not_a_placeholder`: braces look like a placeholder but are painted unchanged
         * - `unused_variable`: the project does not use a variable
         * - `undefined_condition`: a condition names an undefined variable, similar to a defined one
         * - `unrenderable_defaults`: a template cannot be rendered with its default variables alone
         * - `stretched`: a clip or GIF is stretched to another aspect ratio
         * - `subtitle_file`: cues of a subtitle file are left out or read differently
         * - `media_damaged`: a sound or film is damaged and is used only in part
         * - `style_ignored`: the browser rejected CSS
         * - `missing_glyph`: no font has a glyph for a character
         * - `picture_damaged`: a picture could not be decoded completely
         * - `cut_off`: an element exceeds the largest size that is painted
         * - `url_registered_twice`: another webhook has the same url and shares events
         */
        readonly code: string
        readonly message: string
      }[]
    }
  }
  'POST /api/render/repair': {
    readonly body: {
      readonly payload: Designer
    }
    readonly reply: {
      readonly repaired: Readonly<Record<string, unknown>>
      readonly changes: readonly {
        readonly action: 'set' | 'rename' | 'remove'
        /** Path of the change, like visuals[0].opacity */
        readonly path: string
        readonly from: unknown
        /** New value or name; null when the property was removed */
        readonly to: unknown
        readonly why: string
      }[]
      /** True when a render of the payload would be accepted */
      readonly valid: boolean
      readonly remainingErrors: readonly {
        /** Path like scenes[0].visuals[2].enterEnd; empty for the whole body */
        readonly field: string
        /** JSON pointer (RFC 6901) into the body as sent */
        readonly pointer: string
        readonly code: string
        readonly message: string
      }[]
      readonly warnings: readonly {
        /** Path as in an error; empty for the whole project */
        readonly field: string
        /** JSON pointer (RFC 6901) into the body as sent */
        readonly pointer: string
        /**
         * - `position_ignored`: x and y have no effect, because position is not custom
         * - `size_ignored`: width or height has no effect, because the resolution sets it
         * - `text_ignored`: text has no effect, because html is given
         * - `exit_ignored`: exit has no effect, because the sound ends with its scene or project
         * - `duration_ignored`: the film lasts longer than its duration
         * - `link_ignored`: a transition between clips or scenes is not played
         * - `transition_cut_short`: a transition is longer than the scenes beside it
         * - `look_ignored`: a caption style has no effect with this animation
         * - `empty_animation`: an animation has no time to play
         * - `animation_cut_short`: custom code runs longer than its element is visible
         * - `never_visible`: an element or caption is never visible
         * - `never_heard`: a sound has no time to play
         * - `empty_cut`: a clip is cut down to one frame
         * - `nothing_visible`: no element of a film, still or scene is visible
         * - `off_canvas`: an element lies outside the canvas
         * - `texts_overlap`: a text covers another text
         * - `low_contrast`: a text hardly contrasts with its background
         * - `text_overflow`: a text is higher than its box
         * - `tiny_text`: a text is too small to read
         * - `unknown_font`: the farm does not have a font
         * - `duplicate_id`: two clips have the same id
         * - `not_a_placeholder`: braces look like a placeholder but are painted unchanged
         * - `unused_variable`: the project does not use a variable
         * - `undefined_condition`: a condition names an undefined variable, similar to a defined one
         * - `unrenderable_defaults`: a template cannot be rendered with its default variables alone
         * - `stretched`: a clip or GIF is stretched to another aspect ratio
         * - `subtitle_file`: cues of a subtitle file are left out or read differently
         * - `media_damaged`: a sound or film is damaged and is used only in part
         * - `style_ignored`: the browser rejected CSS
         * - `missing_glyph`: no font has a glyph for a character
         * - `picture_damaged`: a picture could not be decoded completely
         * - `cut_off`: an element exceeds the largest size that is painted
         * - `url_registered_twice`: another webhook has the same url and shares events
         */
        readonly code: string
        readonly message: string
      }[]
    }
  }
  'POST /api/render/repair/api-key': {
    readonly body: {
      readonly payload: Designer
    }
    readonly reply: {
      readonly repaired: Readonly<Record<string, unknown>>
      readonly changes: readonly {
        readonly action: 'set' | 'rename' | 'remove'
        /** Path of the change, like visuals[0].opacity */
        readonly path: string
        readonly from: unknown
        /** New value or name; null when the property was removed */
        readonly to: unknown
        readonly why: string
      }[]
      /** True when a render of the payload would be accepted */
      readonly valid: boolean
      readonly remainingErrors: readonly {
        /** Path like scenes[0].visuals[2].enterEnd; empty for the whole body */
        readonly field: string
        /** JSON pointer (RFC 6901) into the body as sent */
        readonly pointer: string
        readonly code: string
        readonly message: string
      }[]
      readonly warnings: readonly {
        /** Path as in an error; empty for the whole project */
        readonly field: string
        /** JSON pointer (RFC 6901) into the body as sent */
        readonly pointer: string
        /**
         * - `position_ignored`: x and y have no effect, because position is not custom
         * - `size_ignored`: width or height has no effect, because the resolution sets it
         * - `text_ignored`: text has no effect, because html is given
         * - `exit_ignored`: exit has no effect, because the sound ends with its scene or project
         * - `duration_ignored`: the film lasts longer than its duration
         * - `link_ignored`: a transition between clips or scenes is not played
         * - `transition_cut_short`: a transition is longer than the scenes beside it
         * - `look_ignored`: a caption style has no effect with this animation
         * - `empty_animation`: an animation has no time to play
         * - `animation_cut_short`: custom code runs longer than its element is visible
         * - `never_visible`: an element or caption is never visible
         * - `never_heard`: a sound has no time to play
         * - `empty_cut`: a clip is cut down to one frame
         * - `nothing_visible`: no element of a film, still or scene is visible
         * - `off_canvas`: an element lies outside the canvas
         * - `texts_overlap`: a text covers another text
         * - `low_contrast`: a text hardly contrasts with its background
         * - `text_overflow`: a text is higher than its box
         * - `tiny_text`: a text is too small to read
         * - `unknown_font`: the farm does not have a font
         * - `duplicate_id`: two clips have the same id
         * - `not_a_placeholder`: braces look like a placeholder but are painted unchanged
         * - `unused_variable`: the project does not use a variable
         * - `undefined_condition`: a condition names an undefined variable, similar to a defined one
         * - `unrenderable_defaults`: a template cannot be rendered with its default variables alone
         * - `stretched`: a clip or GIF is stretched to another aspect ratio
         * - `subtitle_file`: cues of a subtitle file are left out or read differently
         * - `media_damaged`: a sound or film is damaged and is used only in part
         * - `style_ignored`: the browser rejected CSS
         * - `missing_glyph`: no font has a glyph for a character
         * - `picture_damaged`: a picture could not be decoded completely
         * - `cut_off`: an element exceeds the largest size that is painted
         * - `url_registered_twice`: another webhook has the same url and shares events
         */
        readonly code: string
        readonly message: string
      }[]
    }
  }
  'POST /api/render/validate': {
    readonly body: RenderRequest
    readonly reply: {
      readonly valid: true
      /** Credits that a submission holds */
      readonly creditsRequired: number
      /** False when the length depends on media that are not read yet. The hold is topped up once they are */
      readonly exact: boolean
      /** Most credits that the job can cost; above creditsRequired when exact is false */
      readonly creditsMost: number
      /** Seconds; 0 for a still; the shortest length when exact is false */
      readonly duration: number
      /** Resolved project, with its defaults filled in */
      readonly payload: Readonly<Record<string, unknown>>
      readonly warnings: readonly {
        /** Path as in an error; empty for the whole project */
        readonly field: string
        /** JSON pointer (RFC 6901) into the body as sent */
        readonly pointer: string
        /**
         * - `position_ignored`: x and y have no effect, because position is not custom
         * - `size_ignored`: width or height has no effect, because the resolution sets it
         * - `text_ignored`: text has no effect, because html is given
         * - `exit_ignored`: exit has no effect, because the sound ends with its scene or project
         * - `duration_ignored`: the film lasts longer than its duration
         * - `link_ignored`: a transition between clips or scenes is not played
         * - `transition_cut_short`: a transition is longer than the scenes beside it
         * - `look_ignored`: a caption style has no effect with this animation
         * - `empty_animation`: an animation has no time to play
         * - `animation_cut_short`: custom code runs longer than its element is visible
         * - `never_visible`: an element or caption is never visible
         * - `never_heard`: a sound has no time to play
         * - `empty_cut`: a clip is cut down to one frame
         * - `nothing_visible`: no element of a film, still or scene is visible
         * - `off_canvas`: an element lies outside the canvas
         * - `texts_overlap`: a text covers another text
         * - `low_contrast`: a text hardly contrasts with its background
         * - `text_overflow`: a text is higher than its box
         * - `tiny_text`: a text is too small to read
         * - `unknown_font`: the farm does not have a font
         * - `duplicate_id`: two clips have the same id
         * - `not_a_placeholder`: braces look like a placeholder but are painted unchanged
         * - `unused_variable`: the project does not use a variable
         * - `undefined_condition`: a condition names an undefined variable, similar to a defined one
         * - `unrenderable_defaults`: a template cannot be rendered with its default variables alone
         * - `stretched`: a clip or GIF is stretched to another aspect ratio
         * - `subtitle_file`: cues of a subtitle file are left out or read differently
         * - `media_damaged`: a sound or film is damaged and is used only in part
         * - `style_ignored`: the browser rejected CSS
         * - `missing_glyph`: no font has a glyph for a character
         * - `picture_damaged`: a picture could not be decoded completely
         * - `cut_off`: an element exceeds the largest size that is painted
         * - `url_registered_twice`: another webhook has the same url and shares events
         */
        readonly code: string
        readonly message: string
      }[]
    }
  }
  'POST /api/render/validate/api-key': {
    readonly body: RenderRequest
    readonly reply: {
      readonly valid: true
      /** Credits that a submission holds */
      readonly creditsRequired: number
      /** False when the length depends on media that are not read yet. The hold is topped up once they are */
      readonly exact: boolean
      /** Most credits that the job can cost; above creditsRequired when exact is false */
      readonly creditsMost: number
      /** Seconds; 0 for a still; the shortest length when exact is false */
      readonly duration: number
      /** Resolved project, with its defaults filled in */
      readonly payload: Readonly<Record<string, unknown>>
      readonly warnings: readonly {
        /** Path as in an error; empty for the whole project */
        readonly field: string
        /** JSON pointer (RFC 6901) into the body as sent */
        readonly pointer: string
        /**
         * - `position_ignored`: x and y have no effect, because position is not custom
         * - `size_ignored`: width or height has no effect, because the resolution sets it
         * - `text_ignored`: text has no effect, because html is given
         * - `exit_ignored`: exit has no effect, because the sound ends with its scene or project
         * - `duration_ignored`: the film lasts longer than its duration
         * - `link_ignored`: a transition between clips or scenes is not played
         * - `transition_cut_short`: a transition is longer than the scenes beside it
         * - `look_ignored`: a caption style has no effect with this animation
         * - `empty_animation`: an animation has no time to play
         * - `animation_cut_short`: custom code runs longer than its element is visible
         * - `never_visible`: an element or caption is never visible
         * - `never_heard`: a sound has no time to play
         * - `empty_cut`: a clip is cut down to one frame
         * - `nothing_visible`: no element of a film, still or scene is visible
         * - `off_canvas`: an element lies outside the canvas
         * - `texts_overlap`: a text covers another text
         * - `low_contrast`: a text hardly contrasts with its background
         * - `text_overflow`: a text is higher than its box
         * - `tiny_text`: a text is too small to read
         * - `unknown_font`: the farm does not have a font
         * - `duplicate_id`: two clips have the same id
         * - `not_a_placeholder`: braces look like a placeholder but are painted unchanged
         * - `unused_variable`: the project does not use a variable
         * - `undefined_condition`: a condition names an undefined variable, similar to a defined one
         * - `unrenderable_defaults`: a template cannot be rendered with its default variables alone
         * - `stretched`: a clip or GIF is stretched to another aspect ratio
         * - `subtitle_file`: cues of a subtitle file are left out or read differently
         * - `media_damaged`: a sound or film is damaged and is used only in part
         * - `style_ignored`: the browser rejected CSS
         * - `missing_glyph`: no font has a glyph for a character
         * - `picture_damaged`: a picture could not be decoded completely
         * - `cut_off`: an element exceeds the largest size that is painted
         * - `url_registered_twice`: another webhook has the same url and shares events
         */
        readonly code: string
        readonly message: string
      }[]
    }
  }
  'POST /api/templates': {
    readonly body: NewTemplate
    readonly reply: Template
  }
  'POST /api/templates/{id}/duplicate': {
    readonly reply: Template
  }
  'POST /api/templates/{id}/preview': {
    readonly body: TemplatePreview
    readonly reply: {
      readonly valid: true
      /** Credits that a submission holds */
      readonly creditsRequired: number
      /** False when the length depends on media that are not read yet. The hold is topped up once they are */
      readonly exact: boolean
      /** Most credits that the job can cost; above creditsRequired when exact is false */
      readonly creditsMost: number
      /** Seconds; 0 for a still; the shortest length when exact is false */
      readonly duration: number
      /** Resolved project, with its defaults filled in */
      readonly payload: Readonly<Record<string, unknown>>
      readonly warnings: readonly {
        /** Path as in an error; empty for the whole project */
        readonly field: string
        /** JSON pointer (RFC 6901) into the body as sent */
        readonly pointer: string
        /**
         * - `position_ignored`: x and y have no effect, because position is not custom
         * - `size_ignored`: width or height has no effect, because the resolution sets it
         * - `text_ignored`: text has no effect, because html is given
         * - `exit_ignored`: exit has no effect, because the sound ends with its scene or project
         * - `duration_ignored`: the film lasts longer than its duration
         * - `link_ignored`: a transition between clips or scenes is not played
         * - `transition_cut_short`: a transition is longer than the scenes beside it
         * - `look_ignored`: a caption style has no effect with this animation
         * - `empty_animation`: an animation has no time to play
         * - `animation_cut_short`: custom code runs longer than its element is visible
         * - `never_visible`: an element or caption is never visible
         * - `never_heard`: a sound has no time to play
         * - `empty_cut`: a clip is cut down to one frame
         * - `nothing_visible`: no element of a film, still or scene is visible
         * - `off_canvas`: an element lies outside the canvas
         * - `texts_overlap`: a text covers another text
         * - `low_contrast`: a text hardly contrasts with its background
         * - `text_overflow`: a text is higher than its box
         * - `tiny_text`: a text is too small to read
         * - `unknown_font`: the farm does not have a font
         * - `duplicate_id`: two clips have the same id
         * - `not_a_placeholder`: braces look like a placeholder but are painted unchanged
         * - `unused_variable`: the project does not use a variable
         * - `undefined_condition`: a condition names an undefined variable, similar to a defined one
         * - `unrenderable_defaults`: a template cannot be rendered with its default variables alone
         * - `stretched`: a clip or GIF is stretched to another aspect ratio
         * - `subtitle_file`: cues of a subtitle file are left out or read differently
         * - `media_damaged`: a sound or film is damaged and is used only in part
         * - `style_ignored`: the browser rejected CSS
         * - `missing_glyph`: no font has a glyph for a character
         * - `picture_damaged`: a picture could not be decoded completely
         * - `cut_off`: an element exceeds the largest size that is painted
         * - `url_registered_twice`: another webhook has the same url and shares events
         */
        readonly code: string
        readonly message: string
      }[]
      /** Copy of the payload, where clients of the original service read it */
      readonly project: Readonly<Record<string, unknown>>
    }
  }
  'POST /api/uploads': {
    readonly query?: {
      readonly name?: string
    }
    readonly reply: Upload
  }
  'POST /api/webhooks': {
    readonly body: {
      readonly url: string
      readonly events: readonly ('render.completed' | 'render.failed')[]
      readonly description?: string
    }
    readonly reply: WebhookWithSecret
  }
  'POST /api/webhooks/deliveries/redeliver': {
    readonly body: {
      readonly since: string
      readonly webhookId?: string
    }
    readonly reply: {
      /** Deliveries that are sent again */
      readonly queued: number
      /** Failed ones that remain: send the same request again */
      readonly left: number
      /** Deliveries that one request sends again at most */
      readonly limit: number
    }
  }
  'POST /api/webhooks/deliveries/{id}/redeliver': {
    readonly reply: {
      readonly queued: true
      readonly deliveryId: string
    }
  }
  'POST /api/webhooks/{id}/rotate-secret': {
    readonly reply: WebhookWithSecret
  }
  'POST /api/webhooks/{id}/test': {
    readonly body: {
      readonly event?: 'render.completed' | 'render.failed'
    }
    readonly reply: {
      readonly queued: true
      readonly deliveryId: string
    }
  }
  'PUT /api/api-keys/{id}': {
    readonly body: {
      readonly name: string
    }
    readonly reply: ApiKey
  }
  'PUT /api/projects/{id}': {
    readonly body: ProjectChange
    readonly reply: Project
  }
  'PUT /api/templates/{id}': {
    readonly body: TemplateChange
    readonly reply: Template
  }
  'PUT /api/webhooks/{id}': {
    readonly body: {
      readonly url?: string
      readonly events?: readonly ('render.completed' | 'render.failed')[]
      readonly description?: string
      readonly status?: 'active' | 'disabled'
    }
    readonly reply: Webhook
  }
}
