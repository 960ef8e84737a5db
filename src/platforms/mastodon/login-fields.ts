import type { ConnectField } from "#platforms/connect-contract.ts";

export const serverField: ConnectField = {
  name: "server",
  label: "Server",
  description: "The server of the account, or the account's whole handle.",
  isSecret: false,
  isRequired: true,
  maxLength: 320,
  example: "mastodon.social",
  // The domain of a handle may be another one than that of the server.
  valueOfAccount: ({ username, profileUrl }) =>
    (profileUrl === null ? undefined : URL.parse(profileUrl)?.host) ?? username.slice(username.lastIndexOf("@") + 1),
};
