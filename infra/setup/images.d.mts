export const podmanCompose: { python(): string }
