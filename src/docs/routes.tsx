import type { DocsContext } from "./env.ts";
import { docsPathOf } from "./is-for-docs.ts";
import { PageLayout } from "./layout.tsx";
import { NotFoundPage } from "./not-found-page.tsx";
import type { DocsPage } from "./page.ts";
import { renderMarkdown } from "./markdown/render-markdown.ts";
import { respondWithText, toDocument } from "./respond.ts";
import { SearchPage } from "./search-page.tsx";
import type { DocsSite } from "./site.ts";
import { TryPage } from "./try-page.tsx";
import { toMarkdown } from "./to-markdown.ts";

const MAX_QUERY_LENGTH = 200;

/** The HTML of each page. It is the same for everybody, so an isolate renders it once. */
const documents = new WeakMap<DocsPage, Promise<string>>();

async function renderDocument(site: DocsSite, page: DocsPage): Promise<string> {
  const { docsUrl, origin } = site.config;
  // Links to pages on this host become paths, so that they also work under another name of the host.
  const markdown =
    new URL(docsUrl).origin === origin
      ? page.markdown.replaceAll(`](${docsUrl}`, `](${docsPathOf(docsUrl)}`)
      : page.markdown;
  const { html, headings } = renderMarkdown(markdown);
  return await toDocument(<PageLayout site={site} page={page} html={html} headings={headings} />);
}

function showPage(c: DocsContext, site: DocsSite, page: DocsPage): Promise<Response> {
  const { docsUrl } = site.config;
  let document = documents.get(page);
  if (document === undefined) {
    document = renderDocument(site, page);
    documents.set(page, document);
  }
  const link = `<${docsUrl}/${page.path || "index"}.md>; rel="alternate"; type="text/markdown"`;
  return document.then((body) => respondWithText(c, { body, type: "text/html", link }));
}

async function showNotFound(c: DocsContext, site: DocsSite): Promise<Response> {
  c.header("Cache-Control", "no-store");
  return c.html(await toDocument(<NotFoundPage site={site} />), 404);
}

async function showSearch(c: DocsContext, site: DocsSite): Promise<Response> {
  const query = (c.req.query("q") ?? "").trim().slice(0, MAX_QUERY_LENGTH);
  c.header("Cache-Control", "public, max-age=300");
  return c.html(await toDocument(<SearchPage site={site} query={query} />));
}

async function showTry(c: DocsContext, site: DocsSite): Promise<Response> {
  // The script of this page calls the API, which may be on another host.
  c.set("callsApi", true);
  return await respondWithText(c, { body: await toDocument(<TryPage site={site} />), type: "text/html" });
}

/** Lists the URLs of all pages for search engines: https://www.sitemaps.org/protocol.html */
function showSitemap(c: DocsContext, site: DocsSite): Promise<Response> {
  const { docsUrl } = site.config;
  const addresses = site.pages.map(
    ({ path }) => `<url><loc>${path === "" ? docsUrl : `${docsUrl}/${path}`}</loc></url>`,
  );
  const body = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${addresses.join("\n")}
</urlset>
`;
  return respondWithText(c, { body, type: "application/xml" });
}

/** Serves every URL below `{docs_url}`. */
export async function showDocs(c: DocsContext): Promise<Response> {
  const site = await c.var.readSite();
  const { docsUrl } = site.config;
  const docsPath = docsPathOf(docsUrl);
  const path = c.req.path === `${docsPath}.md` ? "index.md" : c.req.path.slice(docsPath.length + 1);
  if (c.req.path.endsWith("/") && path !== "") {
    return c.redirect(`${docsUrl}/${path.replace(/\/+$/, "")}`, 301);
  }
  if (path === "search") {
    return await showSearch(c, site);
  }
  if (path === "sitemap.xml") {
    return await showSitemap(c, site);
  }
  if (path === "try") {
    return await showTry(c, site);
  }
  if (path.endsWith(".md")) {
    const name = path.slice(0, -".md".length);
    const page = site.find(name === "index" ? "" : name);
    return page === undefined || name === ""
      ? await showNotFound(c, site)
      : await respondWithText(c, { body: toMarkdown(site, page), type: "text/markdown" });
  }
  const page = site.find(path);
  return page === undefined ? await showNotFound(c, site) : await showPage(c, site, page);
}
