import type { Config } from "#config.ts";
import { accessPages } from "./data/access-pages.ts";
import { codePages } from "./data/code-pages.ts";
import { platformPages } from "./data/platform-pages.ts";
import { documentPages } from "./documents.ts";
import { indexPage } from "./index-page.ts";
import type { DocsPage } from "./page.ts";
import type { ApiDocument } from "./reference/document.ts";
import { referencePages } from "./reference/pages.ts";
import { type Chunk, chunksOf } from "./search.ts";

/** What the documentation is made from, besides the documents of the repository. */
export interface Sources {
  readonly config: Config;
  readonly document: ApiDocument;
}

/** All documentation pages of one installation. */
export interface DocsSite {
  readonly config: Config;
  /** The pages in the order of the list, beginning with the first page. */
  readonly pages: readonly DocsPage[];
  find(path: string): DocsPage | undefined;
  /** The parts of all pages in which a search looks. */
  chunks(): readonly Chunk[];
}

export function createSite({ config, document }: Sources): DocsSite {
  const { docsUrl } = config;
  const listed = [
    ...documentPages(config),
    ...platformPages(config),
    ...codePages(document, docsUrl),
    ...accessPages(document, config),
    ...referencePages(document, docsUrl),
    // Sorting is stable, so pages with the same number keep this order.
  ].toSorted((one, other) => one.order - other.order);
  const pages = [indexPage(listed, config), ...listed];
  const byPath = new Map(pages.map((page) => [page.path, page]));
  if (byPath.size < pages.length) {
    throw new Error("two pages of the documentation have the same address");
  }
  let chunks: readonly Chunk[] | undefined;
  return {
    config,
    pages,
    find: (path) => byPath.get(path),
    chunks: () => (chunks ??= listed.flatMap(chunksOf)),
  };
}
