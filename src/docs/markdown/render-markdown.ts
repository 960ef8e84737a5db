import { Marked, type Token, type Tokens } from "marked";

export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly id: string;
}

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? "");

export function textOf(token: Token): string {
  if ("tokens" in token && token.tokens !== undefined) {
    return token.tokens.map(textOf).join("");
  }
  if (token.type === "list") {
    return (token as Tokens.List).items.map(textOf).join(" ");
  }
  if (token.type === "table") {
    const { header, rows } = token as Tokens.Table;
    return [header, ...rows].flatMap((cells) => cells.map((cell) => cell.tokens.map(textOf).join(""))).join(" ");
  }
  return "text" in token ? String(token.text) : "";
}

/** Gives headings the same anchors as GitHub's pages of the repository, so that one link works on both. */
export function createAnchors(): (heading: string) => string {
  const used = new Set<string>();
  return (heading) => {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, "")
      .replaceAll(" ", "-");
    let id = slug;
    for (let count = 1; used.has(id); count++) {
      id = `${slug}-${count}`;
    }
    used.add(id);
    return id;
  };
}

/** Splits a Markdown document into its top-level tokens. HTML in the document stays text. */
export function parseMarkdown(markdown: string): Token[] {
  return new Marked({ gfm: true }).lexer(markdown);
}

export function renderMarkdown(markdown: string): { readonly html: string; readonly headings: readonly Heading[] } {
  const headings: Heading[] = [];
  const anchorOf = createAnchors();
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }) {
        const text = tokens.map(textOf).join("");
        const id = anchorOf(text);
        headings.push({ level: depth, text, id });
        const label = escapeHtml(`Link to “${text}”`);
        return `<h${depth} id="${id}">${this.parser.parseInline(tokens)} <a class="anchor" href="#${id}" aria-label="${label}">#</a></h${depth}>\n`;
      },
      // Long lines of code scroll. The element gets the focus, so that the keyboard can scroll too.
      code({ text, lang }) {
        const language = lang === undefined || lang === "" ? "" : ` class="language-${escapeHtml(lang)}"`;
        return `<pre tabindex="0"><code${language}>${escapeHtml(text)}\n</code></pre>\n`;
      },
      table({ header, rows, align }) {
        const row = (cells: Tokens.TableCell[], tag: "th" | "td") =>
          `<tr>${cells
            .map(({ tokens }, column) => {
              const side = align[column] === "right" ? ' class="number"' : "";
              return `<${tag}${side}${tag === "th" ? ' scope="col"' : ""}>${this.parser.parseInline(tokens)}</${tag}>`;
            })
            .join("")}</tr>`;
        const hasHeader = header.some(({ text }) => text !== "");
        return `<div class="table" tabindex="0" role="group" aria-label="Table"><table>${
          hasHeader ? `<thead>${row(header, "th")}</thead>` : ""
        }<tbody>${rows.map((cells) => row(cells, "td")).join("")}</tbody></table></div>\n`;
      },
      html: ({ text }) => escapeHtml(text),
    },
  });
  return { html: marked.parse(markdown, { async: false }), headings };
}
