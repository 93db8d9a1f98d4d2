export function debianPostgres(): readonly string[]
