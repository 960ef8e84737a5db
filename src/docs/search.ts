import type { DocsPage } from "./page.ts";
import { createAnchors, parseMarkdown, textOf } from "./markdown/render-markdown.ts";

/** The part of a page below one heading, which a search finds as one result. */
export interface Chunk {
  readonly page: DocsPage;
  /** The heading with its anchor. Null for the text above a page's first heading. */
  readonly heading: { readonly text: string; readonly id: string } | null;
  readonly text: string;
  /** The same texts in lower case, which the search compares. */
  readonly searched: { readonly title: string; readonly heading: string; readonly text: string };
}

export interface Match {
  readonly chunk: Chunk;
  /** Some words around the first word found. */
  readonly excerpt: string;
}

const MAX_MATCHES = 30;
const MAX_WORDS = 8;
const EXCERPT_BEFORE = 60;
const EXCERPT_LENGTH = 220;

const WEIGHTS = { title: 12, heading: 6, text: 1 } as const;

export function chunksOf(page: DocsPage): Chunk[] {
  const chunks: Chunk[] = [];
  const anchorOf = createAnchors();
  let heading: Chunk["heading"] = null;
  let texts: string[] = [page.description];
  const close = () => {
    const text = texts.join(" ").replaceAll(/\s+/g, " ");
    chunks.push({
      page,
      heading,
      text,
      searched: {
        title: page.title.toLowerCase(),
        heading: heading?.text.toLowerCase() ?? "",
        text: text.toLowerCase(),
      },
    });
  };
  for (const token of parseMarkdown(page.markdown)) {
    if (token.type === "heading") {
      close();
      const text = textOf(token);
      heading = { text, id: anchorOf(text) };
      texts = [];
    } else {
      texts.push(textOf(token));
    }
  }
  close();
  return chunks;
}

function scoreOf({ searched }: Chunk, words: readonly string[]): number {
  let score = 0;
  for (const word of words) {
    const found = (Object.keys(WEIGHTS) as (keyof typeof WEIGHTS)[]).filter((part) => searched[part].includes(word));
    if (found.length === 0) {
      return 0;
    }
    score += found.reduce((sum, part) => sum + WEIGHTS[part], 0);
    // A heading or title that equals a word counts more. So pages about a subject come before pages that only mention
    // it.
    score += searched.heading === word || searched.title === word ? WEIGHTS.title : 0;
  }
  return score;
}

function excerptOf({ text, searched }: Chunk, words: readonly string[]): string {
  const found = words.map((word) => searched.text.indexOf(word)).filter((at) => at >= 0);
  const first = Math.max(0, Math.min(...found, Number.MAX_SAFE_INTEGER) - EXCERPT_BEFORE);
  const start = found.length === 0 ? 0 : first === 0 ? 0 : text.indexOf(" ", first) + 1;
  const end = start + EXCERPT_LENGTH;
  return `${start > 0 ? "… " : ""}${text.slice(start, end).trim()}${end < text.length ? " …" : ""}`;
}

/** Finds the parts of pages that contain all words of a query, the best match first. */
export function search(chunks: readonly Chunk[], query: string): readonly Match[] {
  const words = [...new Set(query.toLowerCase().split(/\s+/).filter(Boolean))].slice(0, MAX_WORDS);
  if (words.length === 0) {
    return [];
  }
  return chunks
    .map((chunk) => ({ chunk, score: scoreOf(chunk, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, MAX_MATCHES)
    .map(({ chunk }) => ({ chunk, excerpt: excerptOf(chunk, words) }));
}
