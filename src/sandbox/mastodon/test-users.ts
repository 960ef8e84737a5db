/* The test users of every instance. */

export type Visibility = "public" | "unlisted" | "private" | "direct";

export interface TestUser {
  readonly login: string;
  /** An opaque string that is unique on its host only (D api/guidelines.md). */
  readonly id: string;
  readonly username: string;
  readonly displayName: string;
  readonly defaultVisibility: Visibility;
  readonly defaultSensitive: boolean;
  readonly defaultLanguage: string;
}

/**
 * The ids of the test users by host. `ada` has the same id on two hosts, because only host and id together identify an
 * account.
 */
const ACCOUNT_IDS: Readonly<Record<string, { readonly ada: string; readonly ben: string }>> = {
  "mastodon.example": { ada: "109348684423156921", ben: "109348684423157044" },
  // mastodon.social is the server that the connect form suggests.
  "mastodon.social": { ada: "110224538612341312", ben: "110224538612341450" },
  "long.mastodon.example": { ada: "111572043119886307", ben: "111572043119886455" },
  "old.mastodon.example": { ada: "109348684423156921", ben: "106118743920015312" },
  "gts.example": { ada: "01HE3ZQ5S7T2Q9Q0D4M8KXW1AA", ben: "01HE3ZQ5S7T2Q9Q0D4M8KXW1BB" },
};

export const LOGINS = ["ada", "ben"] as const;

export function testUsersOf(host: string): readonly TestUser[] {
  const ids = ACCOUNT_IDS[host];
  if (!ids) {
    return [];
  }
  return [
    {
      login: "ada",
      id: ids.ada,
      username: "ada",
      displayName: "Ada Example",
      defaultVisibility: "public",
      defaultSensitive: false,
      defaultLanguage: "en",
    },
    {
      login: "ben",
      id: ids.ben,
      username: "Ben",
      // A display name may be empty (D methods/accounts.md).
      displayName: "",
      defaultVisibility: "private",
      defaultSensitive: true,
      defaultLanguage: "de",
    },
  ];
}

export const findUserByLogin = (host: string, login: string | null): TestUser | undefined =>
  testUsersOf(host).find((user) => user.login === login);

export const findUserById = (host: string, id: string): TestUser | undefined =>
  testUsersOf(host).find((user) => user.id === id);

/** The id that identifies an account among all instances: its id on its host, and the host. */
export const platformAccountId = (host: string, id: string): string => `${id}@${host}`;

export const accountIdsOf = (login: (typeof LOGINS)[number]): readonly string[] =>
  Object.entries(ACCOUNT_IDS).map(([host, ids]) => platformAccountId(host, ids[login]));
