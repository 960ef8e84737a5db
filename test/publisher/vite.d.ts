/** Members that Vite adds to `import.meta`; the Workers types do not declare them. */
interface ImportMeta {
  /** Only variables whose names begin with VITE_ are passed through. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The contents of files; paths are relative to the repository's root. */
  glob(pattern: string, options: { query: "?raw"; import: "default"; eager: true }): Readonly<Record<string, string>>;
}
