/** Declares the used part of WebAssembly, which neither ES2024 nor @types/node declares. */
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
  }
  class Memory {
    constructor(pages: { initial: number; maximum: number })
    readonly buffer: ArrayBuffer
    grow(pages: number): number
  }
  class Instance {
    constructor(module: Module, imports: { env: { memory: Memory } })
    readonly exports: Record<string, unknown>
  }
}
