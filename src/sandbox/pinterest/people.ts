import type { Token } from "#sandbox/grants.ts";

export interface Person {
  readonly id: string;
  readonly username: string;
  readonly business: string | null;
}

export interface BoardRow {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly privacy: "PUBLIC" | "PROTECTED" | "SECRET";
  readonly adsOnly: boolean;
  readonly owner: string;
}

export const PEOPLE: Readonly<Record<string, Person>> = {
  ada: { id: "2783136121146311751", username: "ada_makes", business: "Ada Makes" },
  ben: { id: "2783136121146311999", username: "ben_pins", business: null },
};

const usual = { description: null, privacy: "PUBLIC", adsOnly: false, owner: "ada_makes" } as const;

const BOARDS: Readonly<Record<string, readonly BoardRow[]>> = {
  ada: [
    { ...usual, id: "549755885175", name: "Glazes" },
    { ...usual, id: "549755885176", name: "Kiln log", description: "Every firing" },
    { ...usual, id: "549755885177", name: "Studio friends", description: "A group board", owner: "ben_pins" },
    { ...usual, id: "549755885178", name: "Hidden drafts", privacy: "SECRET" },
    { ...usual, id: "549755885179", name: "Promoted", adsOnly: true },
  ],
  ben: [{ ...usual, id: "549755886001", name: "Wood", owner: "ben_pins" }],
};

/** The boards a session sees: secret ones only with the scope for them. */
export function boardsOf(session: Token): readonly BoardRow[] {
  const all = BOARDS[session.login] ?? [];
  return session.scopes.includes("boards:read_secret") ? all : all.filter((board) => board.privacy !== "SECRET");
}
