/** Characters of a password, of users and of operators. */
export const passwordLength = { min: 12, max: 1000 } as const

/** Checks the shape only; delivery of mail is not checked. */
const emailShape = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}]{1,255}$/u

export const isEmail = (text: string): boolean => emailShape.test(text)
