/**
 * Headers of the dashboard's pages and files: everything is its own but the objects, which the store
 * serves itself when it is a bucket at `objectsOrigin`. A worker takes the policy of its own file.
 */
export function pagePolicy(objectsOrigin?: string) {
  const objects = objectsOrigin === undefined ? [] : [objectsOrigin]
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:', ...objects],
        mediaSrc: ["'self'", 'blob:', ...objects],
        connectSrc: ["'self'", ...objects],
        fontSrc: ["'self'"],
        workerSrc: ["'self'"],
        frameSrc: ["'self'"],
        baseUri: ["'none'"],
        formAction: ["'none'"],
        frameAncestors: ["'none'"],
        requireTrustedTypesFor: ["'script'"],
        // One policy has this name (dashboard/src/judge/trusted-worker.ts): it admits the worker of the judge.
        trustedTypes: ['dashboard'],
      },
    },
    crossOriginResourcePolicy: { policy: 'same-origin' as const },
    crossOriginOpenerPolicy: { policy: 'same-origin' as const },
    xFrameOptions: { action: 'deny' as const },
  }
}

/** Powers of browsers that no page of the dashboard needs. */
const unusedFeatures = [
  ...['accelerometer', 'camera', 'display-capture', 'geolocation', 'gyroscope'],
  ...['hid', 'magnetometer', 'microphone', 'midi', 'payment', 'publickey-credentials-get'],
  ...['screen-wake-lock', 'serial', 'usb', 'xr-spatial-tracking'],
]

export const permissionsPolicy = unusedFeatures.map((name) => `${name}=()`).join(', ')
