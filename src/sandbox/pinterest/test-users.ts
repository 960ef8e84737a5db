import type { Token } from "#sandbox/oauth-server.ts";

export interface TestUser {
  readonly id: string;
  readonly username: string;
  readonly business: string | null;
}

export interface Board {
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
  readonly privacy: "PUBLIC" | "PROTECTED" | "SECRET";
  readonly adsOnly: boolean;
  readonly owner: string;
}

export const TEST_USERS: Readonly<Record<string, TestUser>> = {
  ada: { id: "2783136121146311751", username: "ada_makes", business: "Ada Makes" },
  ben: { id: "2783136121146311999", username: "ben_pins", business: null },
};

const BOARD_DEFAULTS = { description: null, privacy: "PUBLIC", adsOnly: false, owner: "ada_makes" } as const;

const BOARDS: Readonly<Record<string, readonly Board[]>> = {
  ada: [
    { ...BOARD_DEFAULTS, id: "549755885175", name: "Glazes" },
    { ...BOARD_DEFAULTS, id: "549755885176", name: "Kiln log", description: "Every firing" },
    { ...BOARD_DEFAULTS, id: "549755885177", name: "Studio friends", description: "A group board", owner: "ben_pins" },
    { ...BOARD_DEFAULTS, id: "549755885178", name: "Hidden drafts", privacy: "SECRET" },
    { ...BOARD_DEFAULTS, id: "549755885179", name: "Promoted", adsOnly: true },
  ],
  ben: [{ ...BOARD_DEFAULTS, id: "549755886001", name: "Wood", owner: "ben_pins" }],
};

/** The boards that a token can see: secret ones only with the scope `boards:read_secret`. */
export function boardsOf(token: Token): readonly Board[] {
  const all = BOARDS[token.login] ?? [];
  return token.scopes.includes("boards:read_secret") ? all : all.filter((board) => board.privacy !== "SECRET");
}
