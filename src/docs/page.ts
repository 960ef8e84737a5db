/** One page of the documentation. Its HTML and Markdown forms both come from its Markdown. */
export interface DocsPage {
  /** The path below the documentation: `quickstart`, `reference/posts`; empty for the first page. */
  readonly path: string;
  readonly title: string;
  readonly description: string;
  /** The heading of the page in the list of pages. */
  readonly section: string;
  /** The order of the pages; the first page of a section also places the section. */
  readonly order: number;
  /** Without the title. Its links are absolute. */
  readonly markdown: string;
}

/** The path of the page above: `reference/posts` for `reference/posts/listPosts`. */
export const parentOf = (path: string): string | null =>
  path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : null;

/** Whether the lists show a page. Only the page of their group lists operations and schemas. */
const isListed = ({ path }: DocsPage): boolean => path.split("/").length <= 2;

/** The listed pages of each section, in the order of the list. */
export function bySection(pages: readonly DocsPage[]): ReadonlyMap<string, readonly DocsPage[]> {
  return Map.groupBy(pages.filter(isListed), ({ section }) => section);
}
