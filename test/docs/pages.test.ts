import { gzipSync } from "node:zlib";
import { describe, test } from "vitest";
import { documentPages } from "#docs/documents.ts";
import { createServiceFixture, ORIGIN } from "../auth/service-fixture.ts";

const service = createServiceFixture();
const DOCS = `${ORIGIN}/docs`;

const open = async (path: string, headers: Record<string, string> = {}) => {
  const response = await service.fetch(path, { headers });
  return { response, text: await response.text() };
};

describe("a page", () => {
  test("has the title and the text of its guide, needs no script, and names its Markdown", async ({ expect }) => {
    const { response, text } = await open("/docs/webhooks");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("link")).toBe(`<${DOCS}/webhooks.md>; rel="alternate"; type="text/markdown"`);
    expect(response.headers.get("content-security-policy")).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'",
    );
    expect(response.headers.get("set-cookie")).toBeNull();
    expect(text).toMatch(/^<!doctype html>/);
    expect(text).toContain("<title>Events and webhooks · Almanac</title>");
    expect(text).toContain(`<link rel="canonical" href="${DOCS}/webhooks"`);
    expect(text).not.toContain("<script");
    expect(text).not.toContain("style=");
  });

  test("is the same for everybody, and is not sent again to who has it", async ({ expect }) => {
    const { response } = await open("/docs/webhooks");
    expect(response.headers.get("cache-control")).toBe("public, max-age=300");
    const etag = response.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
    const again = await open("/docs/webhooks", { "if-none-match": `"other", W/${etag}` });
    expect(again.response.status).toBe(304);
    expect(again.text).toBe("");
    const other = await open("/docs/mcp", { "if-none-match": etag });
    expect(other.response.status).toBe(200);
  });

  test("lists all pages, with itself marked, and its neighbours", async ({ expect }) => {
    const { text } = await open("/docs/webhooks");
    expect(text).toContain('<a href="/docs/webhooks" aria-current="page">Events and webhooks</a>');
    expect(text).toContain('rel="next"');
    expect(text).toContain('rel="prev"');
  });

  test("is Markdown at its path and .md, the first one too", async ({ expect }) => {
    const index = await open("/docs.md");
    expect(index.response.headers.get("content-type")).toContain("text/markdown");
    expect(index.text).toBe((await open("/docs/index.md")).text);
  });

  test("has headings without a gap, and no column without a name", async ({ expect }) => {
    const { text: sitemap } = await open("/docs/sitemap.xml");
    const paths = Array.from(sitemap.matchAll(/<loc>(\S+?)<\/loc>/g), ([, address = ""]) => new URL(address).pathname);
    for (const path of paths) {
      const { text } = await open(path);
      const levels = Array.from(text.matchAll(/<h([1-6])[ >]/g), ([, level]) => Number(level));
      const gaps = levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1);
      expect(gaps, path).toEqual([]);
      expect(text, path).not.toMatch(/<th[^>]*>\s*<\/th>/);
    }
  });

  test("has the addresses of the installation", async ({ expect }) => {
    const elsewhere = createServiceFixture({ ORIGIN: "https://calendar.example", BASE_URL: "https://api.example/v1" });
    const text = await (await elsewhere.fetch("/docs/mcp.md")).text();
    expect(text).toContain("https://api.example/mcp");
    expect(text).not.toContain("almanac.example.org");
    expect(text).not.toMatch(/\{(?:origin|base_url|docs_url|auth_url|mcp_url)\}/i);
  });

  test("as Markdown begins with its title, and leads to Markdown", async ({ expect }) => {
    const { response, text } = await open("/docs/operate.md");
    expect(response.headers.get("content-type")).toBe("text/markdown; charset=utf-8");
    expect(response.headers.get("etag")).not.toBeNull();
    expect(text).toMatch(/^# Self-hosting: operating Almanac\n\n> .+\n\nThis page for people: \S+\/docs\/operate\n/);
    expect(text).toContain(`](${DOCS}/limits-and-cost.md)`);
  });

  test("that is not there shows the list of those that are", async ({ expect }) => {
    for (const path of ["/docs/nothing", "/docs/nothing.md", "/docs/.md", "/docs/webhooks/nothing"]) {
      const { response, text } = await open(path);
      expect(response.status, path).toBe(404);
      expect(response.headers.get("cache-control"), path).toBe("no-store");
      expect(text, path).toContain('<a href="/docs/webhooks">Events and webhooks</a>');
    }
    expect((await open("/docsnothing")).text).toContain("Go to the dashboard");
  });

  test("with a slash at its end leads to its address", async ({ expect }) => {
    const { response } = await open("/docs/webhooks/");
    expect([response.status, response.headers.get("location")]).toEqual([301, `${DOCS}/webhooks`]);
    expect((await open("/docs/")).response.status).toBe(200);
  });
});

describe("the address of the documentation", () => {
  test("may be another path, or a host of its own", async ({ expect }) => {
    const path = createServiceFixture({ DOCS_URL: `${ORIGIN}/help/docs` });
    expect(await (await path.fetch("/help/docs/webhooks")).text()).toContain('href="/help/docs/mcp"');
    expect((await path.fetch("/docs/webhooks")).status).toBe(404);
    const host = createServiceFixture({ DOCS_URL: "https://docs.example" });
    expect(await (await host.fetch("https://docs.example/webhooks")).text()).toContain(
      '<link rel="canonical" href="https://docs.example/webhooks"',
    );
    expect(await (await host.fetch("https://docs.example/")).text()).toContain("<h1>Documentation</h1>");
    // The pages of the service keep their addresses.
    expect(await (await host.fetch("/")).text()).toContain("Plan a month of posts");
  });
});

describe("the search", () => {
  test("finds parts of pages by all words, the best first", async ({ expect }) => {
    const { response, text } = await open("/docs/search?q=Webhooks+signature");
    expect(response.status).toBe(200);
    expect(text).not.toContain("<script");
    const [first = ""] = /<ul class="docs-matches"><li><a href="[^"]+"/.exec(text) ?? [];
    expect(first).toContain('href="/docs/webhooks');
    expect(text).toContain('value="Webhooks signature"');
  });

  test("says when there is nothing, and shows what was asked as text", async ({ expect }) => {
    const { text } = await open(`/docs/search?q=${encodeURIComponent('<b>"zzzz')}`);
    expect(text).toContain("Nothing has all of these words: &lt;b&gt;&quot;zzzz");
    expect(text).not.toContain("<b>");
    expect((await open("/docs/search")).text).not.toContain('role="status"');
  });
});

describe("the page on which calls are tried", () => {
  test("has scripts of this service only, and may call the API where that is elsewhere", async ({ expect }) => {
    const { response, text } = await open("/docs/try");
    expect(response.status).toBe(200);
    expect(Array.from(text.matchAll(/<script src="([^"]+)"/g), ([, source]) => source)).toEqual([
      "/swagger-ui-bundle.js",
      "/try.js",
    ]);
    expect(text).not.toMatch(/<script[^>]*>[^<]/);
    expect(text).toContain(`data-document="${ORIGIN}/v1/openapi.json"`);
    const elsewhere = createServiceFixture({ BASE_URL: "https://api.example/v1" });
    const policyOf = async (path: string) =>
      (await elsewhere.fetch(path)).headers.get("content-security-policy")?.split("; ");
    expect(await policyOf("/docs/try")).toContain("connect-src 'self' https://api.example");
    expect(await policyOf("/docs/webhooks")).toContain("connect-src 'self'");
  });
});

describe("llms-full.txt", () => {
  test("has every page that llms.txt lists", async ({ expect }) => {
    const { text: list } = await open("/llms.txt");
    const { response, text } = await open("/llms-full.txt");
    expect(response.headers.get("access-control-allow-origin")).toBe("*");
    const pages = [...list.matchAll(/\]\((\S+\/docs\/\S+)\.md\)/g)].map(([, address]) => address);
    expect(pages.length).toBeGreaterThan(20);
    for (const page of pages) {
      expect(text).toContain(`This page for people: ${page}\n`);
    }
  });
});

describe("the documents", () => {
  const pages = documentPages(service.services.config).toSorted((one, other) => one.order - other.order);

  test("each say what they are called, what they are about, and where they stand", ({ expect }) => {
    for (const { path, title, description, section, order } of pages) {
      expect(title, path).toMatch(/^\S.{2,}$/);
      expect(description, path).toMatch(/^\S.{10,200}\.$/);
      expect(section, path).toMatch(/^[A-Z][a-z]+$/);
      expect(Number.isInteger(order), path).toBe(true);
    }
    expect(new Set(pages.map(({ path }) => path)).size).toBe(pages.length);
  });

  test("of one section stand together", ({ expect }) => {
    const sections = pages.map(({ section }) => section);
    const changes = sections.filter((section, at) => section !== sections[at - 1]);
    expect(changes).toEqual([...new Set(sections)]);
  });
});

describe("every page", () => {
  const ELEMENTS_MAX = 1200;
  const COMPRESSED_MAX_BYTES = 16 * 1024;
  /** One table with every call of every platform. */
  const LONG = new Map([["sandbox-operations", 2600]]);

  test("is in the sitemap, and small enough for a phone", async ({ expect }) => {
    const { response, text: sitemap } = await open("/docs/sitemap.xml");
    expect(response.headers.get("content-type")).toBe("application/xml; charset=utf-8");
    const paths = Array.from(sitemap.matchAll(/<loc>(\S+?)<\/loc>/g), ([, address = ""]) =>
      address.slice(ORIGIN.length),
    );
    expect(paths).toContain("/docs");
    expect(paths).toContain("/docs/webhooks");
    expect(paths).toContain("/docs/reference/posts/cancelPost");
    for (const path of paths) {
      const { response: page, text } = await open(path);
      expect(page.status, path).toBe(200);
      const elements = text.match(/<[a-z]/g)?.length ?? 0;
      expect(elements, path).toBeLessThan(LONG.get(path.slice("/docs/".length)) ?? ELEMENTS_MAX);
      expect(gzipSync(text).length, path).toBeLessThan(COMPRESSED_MAX_BYTES);
    }
  });
});
