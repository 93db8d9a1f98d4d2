/** Moment by `performance.now()` until which a letter belongs to the `g` before it. */
export const keyPair = { until: 0 }
