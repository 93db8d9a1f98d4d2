export const kubernetesValidate: { python(): string }
