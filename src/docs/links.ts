import type { Addresses } from "./addresses.ts";

/** Matches code, which must keep its links, or a link or picture with its text and target. */
const CODE_OR_LINK =
  /^ *(```|~~~)[\s\S]*?^ *\1|(`+)[\s\S]*?[^`]\2(?!`)|(!?)\[((?:[^[\]]|\[[^[\]]*\])*)\]\(([^)\s]+)\)/gm;

/** The repository path of a link's target, relative to the file that contains the link. */
function resolvePath(from: string, target: string): string {
  return new URL(target, new URL(from, "file:///")).pathname.slice(1);
}

/**
 * Turns links between repository documents into links between pages. A link to a file without a page becomes plain
 * text.
 */
export function resolveLinks(
  markdown: string,
  { source, pageOf, addresses }: { source: string; pageOf: (file: string) => string | undefined; addresses: Addresses },
): string {
  return markdown.replaceAll(CODE_OR_LINK, (whole, _fence, _ticks, picture: string, text: string, target?: string) => {
    if (target === undefined || /^[a-z][a-z0-9+.-]*:|^#/i.test(target)) {
      return whole;
    }
    const [file = "", anchor] = target.split("#");
    const page = pageOf(resolvePath(source, file));
    if (page === undefined || picture !== "") {
      return text;
    }
    return `[${text}](${page === "" ? addresses.docsUrl : `${addresses.docsUrl}/${page}`}${anchor === undefined ? "" : `#${anchor}`})`;
  });
}

/** Makes links to pages lead to the Markdown of these pages, for readers of Markdown. */
export function linkMarkdown(markdown: string, docsUrl: string, isPage: (path: string) => boolean): string {
  return markdown.replaceAll(CODE_OR_LINK, (whole, _fence, _ticks, _picture, text: string, target?: string) => {
    if (target === undefined || !target.startsWith(docsUrl)) {
      return whole;
    }
    const [address = "", anchor] = target.split("#");
    const path = address.slice(docsUrl.length + 1);
    return isPage(path)
      ? `[${text}](${docsUrl}/${path || "index"}.md${anchor === undefined ? "" : `#${anchor}`})`
      : whole;
  });
}
