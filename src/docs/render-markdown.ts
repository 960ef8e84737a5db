import { Marked, type Token, type Tokens } from "marked";

/** A heading that a page can be entered at. */
export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly id: string;
}

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escapeHtml = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? "");

/** The words of a token and of what is in it. */
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

/** Gives headings the anchors that the repository's own pages give them, so that one link leads to both. */
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

/** The top of a document as tokens; a guide's own HTML would be text. */
export function parseMarkdown(markdown: string): Token[] {
  return new Marked({ gfm: true }).lexer(markdown);
}

/** The HTML of a page's Markdown, and the headings in it. */
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
      // Long lines scroll, also by keyboard.
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
