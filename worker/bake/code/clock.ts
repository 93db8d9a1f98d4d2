import type { AnyFunction, CodeGlobals, Holder } from './code-globals.ts'

/** Held by the baker alone: custom code cannot reach it. */
export type FrameClock = {
  set: (milliseconds: number) => void
  /**
   * Fires the load events that code may wait for, as it expects to run before the page is ready.
   */
  announce: () => void
}

/**
 * Runs in each document before anything else, as its text. All clocks tell the frame's time,
 * `Math.random` counts from `seed`, and all ways out of the page or to another clock are removed.
 * The page's policy, its lack of an origin and the browser's virtual time back that up.
 */
export function freezeClock({ epoch, seed }: { epoch: number; seed: number }): void {
  const page = globalThis as unknown as CodeGlobals & Holder
  const remove = (holder: Holder, names: readonly string[]) => {
    for (const name of names) Reflect.deleteProperty(holder, name)
  }
  // A frame's document is a realm with clocks of its own: it gets nothing.
  if (page.top !== page) {
    remove(page, Object.getOwnPropertyNames(page))
    return
  }

  let now = 0
  const redefine = (holder: object | undefined, name: string, how: PropertyDescriptor) => {
    if (holder) Object.defineProperty(holder, name, { configurable: true, ...how })
  }
  const prototypeOf = (name: string) =>
    (page[name] as { prototype?: object } | undefined)?.prototype
  const tells = (holder: object | undefined, name: string) => {
    redefine(holder, name, { get: () => now })
  }

  const NativeDate = Date
  const wallClock = () => epoch + Math.floor(now)
  const FrozenDate: DateConstructor = new Proxy(NativeDate, {
    apply: () => new NativeDate(wallClock()).toString(),
    construct: (target, given, made) =>
      Reflect.construct(target, given.length === 0 ? [wallClock()] : given, made),
  })
  redefine(NativeDate, 'now', { value: wallClock, writable: true })
  redefine(NativeDate.prototype, 'constructor', { value: FrozenDate, writable: true })
  redefine(page, 'Date', { value: FrozenDate, writable: true })

  const performance = {
    now: () => now,
    timeOrigin: epoch,
    mark() {},
    measure() {},
    toJSON: () => ({}),
  }
  redefine(page, 'performance', { value: performance })
  const nativeFrame = page.requestAnimationFrame.bind(globalThis)
  // The browser may make two frames of one moment (camera.ts); code sees one.
  let isDue = false
  let due: AnyFunction[] = []
  let waiting = new Map<number, AnyFunction>()
  let asked = 0
  const pump = () => {
    nativeFrame(pump)
    if (!isDue) return
    isDue = false
    due = [...waiting.values()]
    waiting = new Map()
    for (const call of due) {
      try {
        call(now)
      } catch (error) {
        page.reportError(error)
      }
    }
  }
  nativeFrame(pump)
  const onFrame = (call: AnyFunction) => {
    asked += 1
    waiting.set(asked, call)
    return asked
  }
  const offFrame = (id: number) => waiting.delete(id)
  redefine(page, 'cancelAnimationFrame', { value: offFrame, writable: true })
  redefine(page, 'webkitCancelAnimationFrame', { value: offFrame, writable: true })
  redefine(page, 'requestAnimationFrame', { value: onFrame, writable: true })
  redefine(page, 'webkitRequestAnimationFrame', { value: onFrame, writable: true })
  tells(prototypeOf('Event'), 'timeStamp')
  tells(prototypeOf('AnimationTimeline'), 'currentTime')
  tells(prototypeOf('AnimationPlaybackEvent'), 'timelineTime')
  redefine(prototypeOf('Document'), 'lastModified', { get: () => '01/01/2000 00:00:00' })
  // The native one counts from the start of the browser.
  const animation = prototypeOf('Animation')
  redefine(animation, 'startTime', {
    get(this: { currentTime: number | null; playbackRate: number }) {
      const rate = this.playbackRate || 1
      return this.currentTime === null ? null : now - this.currentTime / rate
    },
    set(this: { currentTime: number | null; playbackRate: number }, start: number | null) {
      this.currentTime = start === null ? null : (now - start) * this.playbackRate
    },
  })

  // Mulberry32.
  let state = seed
  const random = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  redefine(Math, 'random', { value: random, writable: true })

  redefine(page, 'crypto', { value: undefined })
  const visitor = {
    language: 'en-US',
    languages: ['en-US'],
    userAgent: 'farm',
    platform: '',
    onLine: false,
  }
  redefine(page, 'navigator', { value: Object.freeze(visitor) })
  redefine(page, 'clientInformation', { value: undefined })
  const gone =
    'fetch fetchLater XMLHttpRequest WebSocket WebSocketStream WebTransport EventSource ' +
    'RTCPeerConnection webkitRTCPeerConnection RTCDataChannel RTCCertificate ' +
    'Worker SharedWorker ServiceWorker Worklet AudioWorklet AudioWorkletNode CSSPaintValue ' +
    'AudioContext webkitAudioContext OfflineAudioContext webkitOfflineAudioContext Audio ' +
    'MediaSource ManagedMediaSource MediaRecorder MediaStream VideoDecoder VideoEncoder ' +
    'AudioDecoder AudioEncoder ImageDecoder indexedDB caches localStorage sessionStorage ' +
    'cookieStore navigation BroadcastChannel SharedArrayBuffer Atomics WebAssembly WeakRef ' +
    'FinalizationRegistry requestIdleCallback cancelIdleCallback scheduler PerformanceObserver ' +
    'open close stop print alert confirm prompt find showOpenFilePicker showSaveFilePicker ' +
    'showDirectoryPicker Notification PaymentRequest speechSynthesis SpeechSynthesisUtterance ' +
    'EyeDropper queryLocalFonts launchQueue documentPictureInPicture Temporal getScreenDetails ' +
    'webkitRequestFileSystem webkitResolveLocalFileSystemURL PressureObserver ReportingObserver ' +
    'IdleDetector sharedStorage credentialless crashReport external styleMedia trustedTypes'
  remove(page, gone.split(' '))
  remove(page.URL, ['createObjectURL', 'revokeObjectURL'])
  remove(page.HTMLCanvasElement.prototype, ['captureStream', 'transferControlToOffscreen'])
  remove(page.Element.prototype, ['requestFullscreen', 'requestPointerLock'])

  const { document } = page
  const dispatch = page.EventTarget.prototype.dispatchEvent
  const PageEvent = page.Event
  const clock: FrameClock = {
    set: (milliseconds) => {
      now = milliseconds
      isDue = true
    },
    announce: () => {
      Reflect.apply(dispatch, document, [new PageEvent('DOMContentLoaded', { bubbles: true })])
      Reflect.apply(dispatch, globalThis, [new PageEvent('load')])
    },
  }
  redefine(page, 'farmClock', { value: clock })
}
