/** A lease that was not renewed for this time expires: several renewals may be lost. */
export const leaseMs = 15_000
/** Two renewals may be lost. They carry the frames done, so a progress bar is this fresh. */
export const renewMs = 5_000
/** A node that was silent for longer is not waited for. Longer than the longest poll. */
export const nodeLiveMs = 30_000
