import type { FC } from "hono/jsx";
import { docsPathOf } from "./is-for-docs.ts";
import { DocsLayout } from "./layout.tsx";
import { bySection } from "./page.ts";
import type { DocsSite } from "./site.ts";

/** The page for an unknown URL. It lists all pages, so that the reader finds the right one. */
export const NotFoundPage: FC<{ site: DocsSite }> = ({ site }) => {
  const base = docsPathOf(site.config.docsUrl);
  return (
    <DocsLayout site={site} path={null} title="Page not found">
      <article class="docs-text">
        <h1>Page not found</h1>
        <p>The documentation has no page at this address. These are its pages:</p>
        {[...bySection(site.pages.slice(1))].map(([section, pages]) => (
          <>
            <h2>{section}</h2>
            <ul>
              {pages.map(({ path, title, description }) => (
                <li>
                  <a href={`${base}/${path}`}>{title}</a>: {description}
                </li>
              ))}
            </ul>
          </>
        ))}
      </article>
    </DocsLayout>
  );
};
