import { type Addresses, fillAddresses } from "./addresses.ts";
import { readFrontMatter } from "./front-matter.ts";
import { resolveLinks } from "./links.ts";
import type { DocsPage } from "./page.ts";
import { texts } from "./texts.ts";

const GUIDE = /^docs\/guide\/(.+)\.md$/;
const PLATFORM_SETUP = /^docs\/platforms\/(.+)\.md$/;

/** The path, section and order of pages whose documents have no front matter. */
const OTHERS: Readonly<Record<string, Pick<DocsPage, "path" | "section" | "order">>> = {
  "docs/sandbox-operations.md": { path: "sandbox-operations", section: "Operate", order: 411 },
  "CHANGELOG.md": { path: "changelog", section: "Inside", order: 590 },
};
const PLATFORM_SETUP_ORDER = 430;

const placeOf = (file: string): Pick<DocsPage, "path" | "section" | "order"> | undefined => {
  const name = PLATFORM_SETUP.exec(file)?.[1];
  if (name === undefined) {
    return OTHERS[file];
  }
  const isList = name === "README";
  return {
    path: isList ? "platform-setup" : `platform-setup/${name}`,
    section: "Operate",
    order: isList ? PLATFORM_SETUP_ORDER : PLATFORM_SETUP_ORDER + 1,
  };
};

const pageOf = (file: string): string | undefined =>
  file in texts ? (GUIDE.exec(file)?.[1] ?? placeOf(file)?.path) : undefined;

function firstSentence(body: string): string {
  const [paragraph = ""] = body.split("\n\n");
  return /^.*?[.:](?=\s|$)/.exec(paragraph.replaceAll("\n", " "))?.[0].replace(/:$/, ".") ?? paragraph;
}

function readDocument(file: string, source: string): Omit<DocsPage, "markdown"> & { readonly body: string } {
  const guide = GUIDE.exec(file)?.[1];
  if (guide !== undefined) {
    const { values, body } = readFrontMatter(source);
    const { title = "", description = "", section = "", order } = values;
    return { path: guide, title, description, section, order: Number(order), body };
  }
  const place = placeOf(file);
  const [, title = "", body = ""] = /^# (.+)\n+([\s\S]*)$/.exec(source) ?? [];
  if (place === undefined) {
    throw new Error(`${file} has no place among the pages`);
  }
  return { ...place, title, description: firstSentence(body), body };
}

/** Makes the pages from the repository's documents: guides, setup at each platform, and the changelog. */
export function documentPages(addresses: Addresses): DocsPage[] {
  return Object.entries(texts).map(([file, source]) => {
    const { body, ...page } = readDocument(file, source);
    const markdown = resolveLinks(fillAddresses(body, addresses), { source: file, pageOf, addresses });
    return { ...page, title: fillAddresses(page.title, addresses), markdown };
  });
}
