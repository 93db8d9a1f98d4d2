/** A number with its noun, like "1 credit" or "5 credits". */
export function counted(value: number, noun: string): string {
  return `${value} ${noun}${value === 1 ? '' : 's'}`
}

/** Says how much of a cap is left, like "1 is left" or "5 are left". */
export function leftText(left: number): string {
  return `${left} ${left === 1 ? 'is' : 'are'} left`
}
