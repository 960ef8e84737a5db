import type { ConnectField, OAuthMethod } from "#platforms/contract.ts";

/** No host is fixed, because people choose their servers. `TokenSet.hosts` contains the server of each login. */
export const hosts: readonly string[] = [];

export interface TypedServer {
  readonly host: string;
  /** The user name, if the user entered a whole handle; otherwise null. */
  readonly user: string | null;
}

const HANDLE = /^@?([\w.-]+)@([^@/]+)$/u;
const HOST_NAME = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;

/**
 * Reads a server as people write it: `mastodon.social`, `https://mastodon.social/@ben` or `@ben@mastodon.social`. Null
 * for text without a host.
 */
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
  // The domain in a handle may differ from the server's host.
  valueOfAccount: ({ username, profileUrl }) =>
    (profileUrl === null ? undefined : URL.parse(profileUrl)?.host) ?? username.slice(username.lastIndexOf("@") + 1),
};

/** The server that the user chose, from the state of a started login. */
export const serverOf: NonNullable<OAuthMethod["serverOf"]> = ({ server }) =>
  typeof server === "string" ? server : null;

/** The server of a login. The id of a login is that of its account, which ends with the host (`toAccountId`). */
export const serverOfLogin = (externalId: string): string => externalId.slice(externalId.lastIndexOf("@") + 1);
