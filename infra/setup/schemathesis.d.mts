export function schemathesisPython(): string
