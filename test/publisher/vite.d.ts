/** What Vite adds to a module; the Workers types do not know of it. */
interface ImportMeta {
  /** Only names that begin with VITE_ are handed down. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The texts of files under the repository's root. */
  glob(pattern: string, options: { query: "?raw"; import: "default"; eager: true }): Readonly<Record<string, string>>;
}
