/** A lease that was not renewed for this time expires: several renewals may be lost. */
export const leaseMs = 15_000
/** Two renewals may be lost. They carry the frames done, so a progress bar is this fresh. */
export const renewMs = 5_000
