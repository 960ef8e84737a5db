/** A page of the documentation. Its HTML is made from its Markdown. */
export interface DocsPage {
  /** The path below the documentation: `quickstart` or `reference/posts`. Empty for the first page. */
  readonly path: string;
  readonly title: string;
  readonly description: string;
  /** The section of the page in the list of pages. */
  readonly section: string;
  /** The position of the page. The first page of a section also decides the section's position. */
  readonly order: number;
  /** The text without the title. Its links are absolute. */
  readonly markdown: string;
}

/** The path of the page above: `reference/posts` for `reference/posts/listPosts`. Null if there is none. */
export const parentOf = (path: string): string | null =>
  path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : null;

/**
 * Whether the list of pages contains the page. Operations and schemas are only on their group's page, because they are
 * many.
 */
const isListed = ({ path }: DocsPage): boolean => path.split("/").length <= 2;

/** The pages in the list of pages, by section and in their order. */
export function bySection(pages: readonly DocsPage[]): ReadonlyMap<string, readonly DocsPage[]> {
  return Map.groupBy(pages.filter(isListed), ({ section }) => section);
}
