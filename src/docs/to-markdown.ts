import { linkMarkdown } from "./links.ts";
import type { DocsPage } from "./page.ts";
import type { DocsSite } from "./site.ts";

/** A page as Markdown. Its links lead to the Markdown of other pages. */
export function toMarkdown(site: DocsSite, { path, title, description, markdown }: DocsPage): string {
  const { docsUrl } = site.config;
  const linked = linkMarkdown(markdown, docsUrl, (other) => site.find(other) !== undefined);
  return `# ${title}\n\n> ${description}\n\nThis page for people: ${path === "" ? docsUrl : `${docsUrl}/${path}`}\n\n${linked.trim()}\n`;
}
