/** Provided by Vite at test time; importing the types of Vite would also add the DOM types. */
interface ImportMeta {
  glob<T>(pattern: string, options: { query: string; import: string; eager: true }): Record<string, T>;
}
