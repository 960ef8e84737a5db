import type { Child, FC } from "hono/jsx";
import { raw } from "hono/html";
import { Document, Logo } from "#html/document.tsx";
import { docsPathOf } from "./is-for-docs.ts";
import { bySection, type DocsPage, parentOf } from "./page.ts";
import type { Heading } from "./markdown/render-markdown.ts";
import type { DocsSite } from "./site.ts";

const SearchForm: FC<{ base: string; query?: string }> = ({ base, query }) => (
  <form class="docs-search" action={`${base}/search`} role="search">
    <input
      type="search"
      name="q"
      aria-label="Search the documentation"
      placeholder="Search"
      value={query}
      maxlength={200}
    />
    <button class="secondary">Search</button>
  </form>
);

/** The title up to its first colon, because the list of pages is narrow. */
const shortTitle = (title: string): string => title.split(": ", 1)[0] ?? title;

/** The `aria-current` value with which the list marks the current page and the page above it. */
function markOf(path: string, current: string): "page" | "true" | undefined {
  return path === current ? "page" : path.includes("/") && path === parentOf(current) ? "true" : undefined;
}

const PageLinks: FC<{ pages: readonly DocsPage[]; all: readonly DocsPage[]; base: string; current: string }> = ({
  pages,
  all,
  base,
  current,
}) => (
  <ul>
    {pages.map(({ path, title }) => {
      // The pages below this one. They are listed only if it, or one of them, is open.
      const below =
        path === current || current.startsWith(`${path}/`) ? all.filter((one) => parentOf(one.path) === path) : [];
      return (
        <li>
          <a href={`${base}/${path}`} aria-current={markOf(path, current)}>
            {shortTitle(title)}
          </a>
          {below.length > 0 && <PageLinks pages={below} all={[]} base={base} current={current} />}
        </li>
      );
    })}
  </ul>
);

const PageList: FC<{ site: DocsSite; base: string; current: string }> = ({ site, base, current }) => (
  <nav id="pages" class="docs-pages" aria-label="Pages">
    <a href={base || "/"} aria-current={current === "" ? "page" : undefined}>
      Documentation
    </a>
    {[...bySection(site.pages.slice(1))].map(([section, pages]) => (
      <section>
        <h2>{section}</h2>
        <PageLinks
          pages={pages.filter(({ path }) => parentOf(path) === null)}
          all={pages}
          base={base}
          current={current}
        />
      </section>
    ))}
  </nav>
);

/** The list of a page's headings. Left out for one or two headings, and for a page that is itself a list. */
const OnThisPage: FC<{ headings: readonly Heading[]; isList: boolean }> = ({ headings, isList }) => {
  const listed = headings.filter(({ level }) => level === 2);
  return listed.length < 3 || isList ? null : (
    <nav class="docs-headings" aria-label="On this page">
      <strong>On this page</strong>
      <ul>
        {listed.map(({ text, id }) => (
          <li>
            <a href={`#${id}`}>{text}</a>
          </li>
        ))}
      </ul>
    </nav>
  );
};

interface LayoutProps {
  readonly site: DocsSite;
  /** The page's path below the documentation. Null for a page that the list does not contain. */
  readonly path: string | null;
  readonly title: string;
  readonly description?: string;
  readonly query?: string;
  /** False if a script of the page adds the `<main>` element. */
  readonly hasMain?: boolean;
  /** Further elements for the `<head>` of the page. */
  readonly head?: Child;
  readonly children?: Child;
}

/** The layout of every documentation page: search, list of pages, and headings of the page. */
export const DocsLayout: FC<LayoutProps> = (props) => {
  const { site, path, title, description, query, hasMain = true, head, children } = props;
  const { docsUrl } = site.config;
  const base = docsPathOf(docsUrl);
  return (
    <Document
      title={title}
      script={false}
      assets={{ styles: ["docs"] }}
      head={
        <>
          {description !== undefined && <meta name="description" content={description} />}
          {path !== null && <link rel="canonical" href={path === "" ? docsUrl : `${docsUrl}/${path}`} />}
          {path !== null && (
            <link rel="alternate" type="text/markdown" href={`${docsUrl}/${path || "index"}.md`} title="Markdown" />
          )}
          {path === null && <meta name="robots" content="noindex" />}
          {head}
        </>
      }
    >
      <a class="skip-link" href="#content">
        Skip to content
      </a>
      <header class="top-bar docs-bar">
        <a class="brand" href="/">
          <Logo /> <span class="brand-name">Almanac</span>
        </a>
        <a class="docs-home" href={base || "/"}>
          Documentation
        </a>
        <a class="docs-jump" href="#pages">
          Pages
        </a>
        <SearchForm base={base} {...(query !== undefined && { query })} />
        <a class="docs-sign-in" href="/dashboard">
          Dashboard
        </a>
      </header>
      <div class="docs">
        {hasMain ? (
          <main id="content" class="docs-main">
            {children}
          </main>
        ) : (
          <div id="content" class="docs-main">
            {children}
          </div>
        )}
        <PageList site={site} base={base} current={path ?? "-"} />
      </div>
    </Document>
  );
};

const Neighbour: FC<{ page: DocsPage | undefined; base: string; rel: "prev" | "next" }> = ({ page, base, rel }) =>
  page === undefined ? null : (
    <a class={rel} rel={rel} href={page.path === "" ? base || "/" : `${base}/${page.path}`}>
      <small>{rel === "prev" ? "Previous" : "Next"}</small> {page.title}
    </a>
  );

/** A page of the list: its text, its headings, and links to the pages before and after it. */
export const PageLayout: FC<{ site: DocsSite; page: DocsPage; html: string; headings: readonly Heading[] }> = ({
  site,
  page,
  html,
  headings,
}) => {
  const base = docsPathOf(site.config.docsUrl);
  const at = site.pages.indexOf(page);
  const parent = site.find(parentOf(page.path) ?? "");
  const isList =
    page.path !== "" && site.pages.some(({ path }) => path.split("/").length > 2 && parentOf(path) === page.path);
  return (
    <DocsLayout site={site} path={page.path} title={page.title} description={page.description}>
      <article class="docs-text">
        {page.section !== "" && (
          <p class="docs-section">
            {parent === undefined || parent.path === "" ? (
              page.section
            ) : (
              <a href={`${base}/${parent.path}`}>{shortTitle(parent.title)}</a>
            )}
          </p>
        )}
        <h1>{page.title}</h1>
        <p class="docs-lead">{page.description}</p>
        <OnThisPage headings={headings} isList={isList} />
        {raw(html)}
        <p class="docs-source">
          <a href={`${base}/${page.path || "index"}.md`} type="text/markdown">
            This page as Markdown
          </a>
        </p>
      </article>
      <nav class="docs-neighbours" aria-label="Before and after">
        <Neighbour page={site.pages[at - 1]} base={base} rel="prev" />
        <Neighbour page={site.pages[at + 1]} base={base} rel="next" />
      </nav>
    </DocsLayout>
  );
};
