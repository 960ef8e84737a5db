import type { FC } from "hono/jsx";
import { docsPathOf } from "./is-for-docs.ts";
import { DocsLayout } from "./layout.tsx";
import { search } from "./search.ts";
import type { DocsSite } from "./site.ts";

/** Answers `GET {docs_url}/search?q=`: lists the parts of pages that contain all words. */
export const SearchPage: FC<{ site: DocsSite; query: string }> = ({ site, query }) => {
  const base = docsPathOf(site.config.docsUrl);
  const matches = search(site.chunks(), query);
  return (
    <DocsLayout site={site} path={null} title={query === "" ? "Search" : `Search: ${query}`} query={query}>
      <article class="docs-text">
        <h1>Search</h1>
        {query !== "" && (
          <p role="status">
            {matches.length === 0 ? `Nothing has all of these words: ${query}` : `${matches.length} found for ${query}`}
          </p>
        )}
        <ul class="docs-matches">
          {matches.map(({ chunk: { page, heading }, excerpt }) => (
            <li>
              <a href={`${base}/${page.path}${heading === null ? "" : `#${heading.id}`}`}>
                {heading === null ? page.title : `${page.title}: ${heading.text}`}
              </a>
              <p>{excerpt}</p>
            </li>
          ))}
        </ul>
      </article>
    </DocsLayout>
  );
};
