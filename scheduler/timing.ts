/** A lease is over when it was not renewed for so long: several renewals may be lost. */
export const leaseMs = 15_000
/** Two renewals may be lost. They carry the frames done, so this is how fresh a progress bar is. */
export const renewMs = 5_000
/** A node that has not spoken for so long is not waited for. Longer than the longest poll. */
export const nodeLiveMs = 30_000
