/** One page of the documentation; its Markdown is what both of its forms are made of. */
export interface DocsPage {
  /** Below the address of the documentation: `quickstart`, `reference/posts`; empty for the first page. */
  readonly path: string;
  readonly title: string;
  readonly description: string;
  /** The heading under which the list of pages has it. */
  readonly section: string;
  /** Pages are listed by this number; a section stands where its first page does. */
  readonly order: number;
  /** Without the title. Its links are absolute. */
  readonly markdown: string;
}

/** The path of the page that a page belongs to: `reference/posts` of `reference/posts/listPosts`. */
export const parentOf = (path: string): string | null =>
  path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : null;

/** Whether a page is in the lists of all pages; operations and schemas are listed by the page of their group alone. */
const isListed = ({ path }: DocsPage): boolean => path.split("/").length <= 2;

/** The listed pages of each section, in the order of the list. */
export function bySection(pages: readonly DocsPage[]): ReadonlyMap<string, readonly DocsPage[]> {
  return Map.groupBy(pages.filter(isListed), ({ section }) => section);
}
