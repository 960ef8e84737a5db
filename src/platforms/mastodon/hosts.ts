import type { ConnectField, OAuthMethod } from "#platforms/contract.ts";

/** No host is fixed, because people choose their servers; `TokenSet.hosts` contains the server of each login. */
export const hosts: readonly string[] = [];

export interface TypedServer {
  readonly host: string;
  /** The user name, if the user entered a whole handle. */
  readonly user: string | null;
}

const HANDLE = /^@?([\w.-]+)@([^@/]+)$/u;
const HOST_NAME = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;

/** Reads `mastodon.social`, `https://mastodon.social/@ben` and `@ben@mastodon.social`; null for anything that names no host. */
export function parseServer(text: string): TypedServer | null {
  const typed = text.trim();
  const [, user = null, domain] = HANDLE.exec(typed) ?? [];
  const url = URL.parse(domain ? `https://${domain}` : /^https?:\/\//i.test(typed) ? typed : `https://${typed}`);
  if (!url || url.port !== "" || url.username !== "" || url.password !== "" || !HOST_NAME.test(url.hostname)) {
    return null;
  }
  return { host: url.hostname, user };
}

export const serverField: ConnectField = {
  name: "server",
  label: "Server",
  description: "The server of the account, or the account's whole handle.",
  isSecret: false,
  isRequired: true,
  maxLength: 320,
  example: "mastodon.social",
  // A handle can have another domain than the server's API.
  valueOfAccount: ({ username, profileUrl }) =>
    (profileUrl === null ? undefined : URL.parse(profileUrl)?.host) ?? username.slice(username.lastIndexOf("@") + 1),
};

/** Reads the server that the user chose from the state of a started login. */
export const serverOf: NonNullable<OAuthMethod["serverOf"]> = ({ server }) =>
  typeof server === "string" ? server : null;

/** A login has the id of its account, which ends with the host (`toAccountId`). */
export const serverOfLogin = (externalId: string): string => externalId.slice(externalId.lastIndexOf("@") + 1);
