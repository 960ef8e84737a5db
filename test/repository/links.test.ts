import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, test } from "vitest";
import { markdownAnchors } from "../support/markdown-anchors.ts";

/* Every link of the documents leads somewhere: to a file, to a heading, or by https to another host. */

const ROOT = join(import.meta.dirname, "..", "..");

const DOCUMENTS = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
  cwd: ROOT,
  encoding: "utf8",
})
  .split("\n")
  .filter((path) => path !== "" && existsSync(join(ROOT, path)));

/** Without what is shown as code: a link there is an example. */
const withoutCode = (text: string) =>
  text.replaceAll(/^ *(```|~~~)[\s\S]*?^ *\1/gm, "").replaceAll(/(`+)[^`]*?\1/g, "code");

/** The targets of a document's links and pictures. */
function linksOf(text: string): readonly string[] {
  const prose = withoutCode(text);
  return [
    ...Array.from(prose.matchAll(/\]\(<?([^)\s>]*)>?(?:\s+"[^"]*")?\)/g), ([, target = ""]) => target),
    ...Array.from(prose.matchAll(/^\[[^\]]+\]:\s*(\S+)/gm), ([, target = ""]) => target),
    ...Array.from(prose.matchAll(/\s(?:href|src)="([^"]*)"/g), ([, target = ""]) => target),
    // Addresses as plain text, which become links too.
    ...Array.from(prose.matchAll(/(?<![\w("=])https?:\/\/[^\s|)>"'‹]*[\w/]/g), ([target]) => target),
  ];
}

function problemOfExternal(target: string): string | null {
  const url = URL.parse(target);
  if (url === null || !/^[\w.-]+\.[a-z]{2,}$/.test(url.hostname)) {
    return "is no address of the public internet";
  }
  return url.protocol === "https:" && url.username === "" ? null : "is not plain https";
}

/** An address of the installation, which the pages made of the guides fill in: test/docs/links.test.ts follows them there. */
const INSTALLED = /^\{(?:origin|base_url|auth_url|docs_url|mcp_url)\}(?:[/#]|$)/;

/** Why a link leads nowhere; null when it leads somewhere. */
function problemOf(document: string, target: string): string | null {
  if (document.startsWith("docs/guide/") && INSTALLED.test(target)) {
    return null;
  }
  if (/^[a-z][a-z0-9+.-]*:/i.test(target)) {
    return problemOfExternal(target);
  }
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? document : normalize(join(dirname(document), decodeURIComponent(path)));
  if (target === "" || file.startsWith("..") || !existsSync(join(ROOT, file))) {
    return "names no file of the repository";
  }
  if (anchor === undefined) {
    return null;
  }
  const isDocument = statSync(join(ROOT, file)).isFile() && file.endsWith(".md");
  return isDocument && markdownAnchors(readFileSync(join(ROOT, file), "utf8")).has(anchor) ? null : "names no heading";
}

const problemsOf = (document: string, text: string) =>
  linksOf(text).flatMap((target) => {
    const problem = problemOf(document, target);
    return problem === null ? [] : [`${document}: ${target} ${problem}`];
  });

describe("the links of the documents", () => {
  test("lead to files, headings and https addresses", () => {
    expect(DOCUMENTS).toContain("README.md");
    expect(DOCUMENTS).toContain("CHANGELOG.md");
    const links = DOCUMENTS.map((path) => readFileSync(join(ROOT, path), "utf8"));
    expect(links.flatMap(linksOf).length).toBeGreaterThan(100);
    expect(DOCUMENTS.flatMap((path, index) => problemsOf(path, links[index]!))).toEqual([]);
  });

  test.each([
    ["a file that is not there", "[a](docs/missing.md)", "names no file"],
    ["a file outside the repository", "[a](../outside.md)", "names no file"],
    ["a heading that is not there", "[a](docs/guide/how-it-works.md#missing)", "names no heading"],
    ["an anchor in a file without headings", "[a](LICENSE#terms)", "names no heading"],
    ["a picture that is not there", "![a](docs/pictures/missing.webp)", "names no file"],
    ["a reference", "[a][b]\n\n[b]: docs/missing.md", "names no file"],
    ["an address without encryption", "[a](http://example.com/)", "is not plain https"],
    ["an address in plain text", "see http://example.com/ there", "is not plain https"],
    ["an address that nobody else reaches", "[a](https://localhost:8787/)", "is no address"],
    ["an empty target", "[a]()", "names no file"],
  ])("a planted link is found: %s", (_, text, problem) => {
    expect(problemsOf("README.md", text)).toEqual([expect.stringContaining(problem)]);
  });

  test("code is not read, and repeated headings are numbered", () => {
    expect(problemsOf("README.md", "`[a](missing.md)`\n\n```\n[a](missing.md)\n```\n")).toEqual([]);
    expect([...markdownAnchors("# Limits, price\n## A `b_c`\n## A `b_c`\n")]).toEqual([
      "limits-price",
      "a-b_c",
      "a-b_c-1",
    ]);
  });
});
