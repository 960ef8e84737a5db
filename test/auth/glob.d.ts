/** What the test runner's bundler puts here; its own types would bring the browser's along. */
interface ImportMeta {
  glob<T>(pattern: string, options: { query: string; import: string; eager: true }): Record<string, T>;
}
