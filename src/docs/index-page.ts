import type { Addresses } from "./addresses.ts";
import { bySection, type DocsPage } from "./page.ts";

function listPages(pages: readonly DocsPage[], docsUrl: string): string {
  return [...bySection(pages)]
    .map(
      ([section, some]) =>
        `## ${section}\n\n${some.map(({ path, title, description }) => `- [${title}](${docsUrl}/${path}): ${description}`).join("\n")}\n`,
    )
    .join("\n");
}

export function indexPage(pages: readonly DocsPage[], { baseUrl, mcpUrl, docsUrl }: Addresses): DocsPage {
  return {
    path: "",
    title: "Documentation",
    description: "Guides and reference for people, programs and agents.",
    section: "",
    order: 0,
    markdown: `Almanac schedules posts to social media. A preview shows what would be published, a confirm schedules exactly that, and it goes out once, on time.

| | |
|---|---|
| HTTP API | \`${baseUrl}\` |
| MCP server | \`${mcpUrl}\` |
| This documentation for agents | [llms.txt](${new URL("/llms.txt", docsUrl).href}), and each page as Markdown at its address with \`.md\` |

${listPages(pages, docsUrl)}`,
  };
}
