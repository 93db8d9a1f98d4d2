/** Longest JSON body of a request, in bytes. */
export const maxBodyBytes = 2_000_000
