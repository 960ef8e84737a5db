import { describe, test } from "vitest";
import { BrowserClient, createServiceFixture, ORIGIN, signInNewUser } from "../auth/service-fixture.ts";
import { markdownAnchors } from "../support/markdown-anchors.ts";

/*
 * Every link of what the service shows leads somewhere: of the documentation in both forms, of the pages, of the OpenAPI document and of
 * what programs read first. Links to this service are followed, also to their headings; others must be https addresses.
 */

const SETTINGS = { OPERATOR_NAME: "A", OPERATOR_CONTACT: "a@b.example", SIGNUP: "open", PLAN_FOR_ALL: "none" };
const service = createServiceFixture(SETTINGS);

/** What is served beside the Worker, by the build. */
const STATIC = new Set([
  "/swagger-ui.css",
  ...Object.keys(import.meta.glob("/src/*/static/*", { query: "?url", import: "default", eager: true })).map((path) =>
    path.slice(path.lastIndexOf("/")),
  ),
]);

const START = [
  "/docs",
  "/",
  "/login",
  "/privacy",
  "/llms.txt",
  "/v1/openapi.json",
  "/server.json",
  "/.well-known/oauth-authorization-server",
  "/.well-known/oauth-protected-resource/v1",
  "/.well-known/oauth-protected-resource/mcp",
];
const SIGNED_IN = [
  "",
  "/overview",
  "/keys",
  "/apps",
  "/accounts",
  "/how-to-connect",
  "/media",
  "/plan",
  "/profile",
  "/workspaces",
];

const ENTITIES: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&quot;": '"',
  "&#39;": "'",
  "&lt;": "<",
  "&gt;": ">",
};
const unescapeHtml = (text: string) => text.replaceAll(/&(?:amp|quot|#39|lt|gt);/g, (entity) => ENTITIES[entity] ?? "");

const withoutCode = (text: string) =>
  text.replaceAll(/^ *(```|~~~)[\s\S]*?^ *\1/gm, "").replaceAll(/(`+)[^`]*?\1/g, "code");

function linksOf(type: string, text: string): readonly string[] {
  if (type.includes("html")) {
    return Array.from(text.matchAll(/<(?:a|link)\b[^>]*?\shref="([^"]*)"/g), ([, link = ""]) => unescapeHtml(link));
  }
  if (type.includes("json")) {
    const links: string[] = [];
    JSON.parse(text, (name, value: unknown) => {
      if (typeof value === "string") {
        // An endpoint is called, and an example is none of ours.
        const isAddress = /url|uri|documentation|issuer/i.test(name) && value.startsWith("http");
        links.push(...(isAddress ? [value] : Array.from(value.matchAll(/\]\((\S+?)\)/g), ([, link = ""]) => link)));
      }
      return value;
    });
    return links;
  }
  return Array.from(withoutCode(text).matchAll(/\]\(<?([^)\s>]*)>?\)/g), ([, link = ""]) => link);
}

function anchorsOf(type: string, text: string): ReadonlySet<string> {
  if (type.includes("html")) {
    return new Set(Array.from(text.matchAll(/\sid="([^"]+)"/g), ([, id = ""]) => unescapeHtml(id)));
  }
  return markdownAnchors(text);
}

interface Read {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Addresses at which a program posts, and examples in descriptions. */
const NOT_FOLLOWED = /^\/(?:oauth\/|mcp$|v1$|connect\/|logout)/;

class Crawl {
  readonly problems: string[] = [];
  readonly #read = new Map<string, Promise<Read>>();
  readonly #waiting: { readonly link: string; readonly from: string }[] = [];
  readonly #client: BrowserClient;
  readonly #entire: boolean;
  #start: ReadonlySet<string> = new Set();
  followed = 0;

  constructor(client: BrowserClient, options: { readonly entire: boolean }) {
    this.#client = client;
    this.#entire = options.entire;
  }

  #open(path: string): Promise<Read> {
    let read = this.#read.get(path);
    if (read === undefined) {
      read = this.#fetch(path);
      this.#read.set(path, read);
    }
    return read;
  }

  async #fetch(path: string): Promise<Read> {
    const response = await this.#client.get(path);
    const type = response.headers.get("content-type") ?? "";
    const text = await response.text();
    // A calendar has a next month for ever: pages are read as far as their own links.
    const isRead = response.status === 200 && (this.#entire || this.#start.has(path));
    for (const link of isRead ? linksOf(type, text) : []) {
      this.#waiting.push({ link, from: path });
    }
    return { status: response.status, type, text };
  }

  async #check({ link, from }: { readonly link: string; readonly from: string }): Promise<string | null> {
    const url = URL.parse(link, new URL(from, ORIGIN));
    if (url === null || link === "") {
      return "is no address";
    }
    if (url.origin !== ORIGIN) {
      const isPublic = url.protocol === "https:" && /^[\w.-]+\.[a-z]{2,}$/.test(url.hostname) && url.username === "";
      return isPublic || url.protocol === "mailto:" ? null : "is no https address of the public internet";
    }
    if (STATIC.has(url.pathname) || NOT_FOLLOWED.test(url.pathname)) {
      return null;
    }
    this.followed += 1;
    const { status, type, text } = await this.#open(url.pathname + url.search);
    if (status !== 200 && status !== 303) {
      return `answers ${status}`;
    }
    const anchor = decodeURIComponent(url.hash.slice(1));
    return anchor === "" || anchorsOf(type, text).has(anchor) ? null : "names no heading";
  }

  async from(paths: readonly string[]): Promise<void> {
    this.#start = new Set(paths);
    this.#waiting.push(...paths.map((link) => ({ link, from: "/" })));
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const problem = await this.#check(next);
      if (problem !== null) {
        this.problems.push(`${next.from}: ${next.link} ${problem}`);
      }
    }
  }
}

describe("the links of the service", () => {
  test("of the documentation, of the document and of what programs read first lead somewhere", async ({ expect }) => {
    const crawl = new Crawl(new BrowserClient(service), { entire: true });
    await crawl.from(START);
    expect(crawl.problems).toEqual([]);
    expect(crawl.followed).toBeGreaterThan(2000);
  });

  test("of the pages lead somewhere", async ({ expect }) => {
    const crawl = new Crawl((await signInNewUser(service)).browser, { entire: false });
    await crawl.from(SIGNED_IN.map((path) => `/dashboard${path}`));
    expect(crawl.problems).toEqual([]);
  });
});
