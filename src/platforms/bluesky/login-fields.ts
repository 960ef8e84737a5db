import type { ConnectField, CredentialsMethod } from "#platforms/connect-contract.ts";

export const loginFields: readonly ConnectField[] = [
  {
    name: "handle",
    label: "Handle",
    description: "Your handle (or your DID, or the address of your server), to find the server of your account.",
    isSecret: false,
    isRequired: true,
    maxLength: 300,
    example: "ada.bsky.social",
    valueOfAccount: ({ username }) => username,
  },
];

export const appPasswordFields: CredentialsMethod["fields"] = [
  {
    name: "identifier",
    label: "Handle",
    description: "The handle of the account.",
    isSecret: false,
    isRequired: true,
    maxLength: 300,
    example: "ada.bsky.social",
    valueOfAccount: ({ username }) => username,
  },
  {
    name: "app_password",
    label: "App password",
    description: "Made in the settings of your account under app passwords; never your main password.",
    isSecret: true,
    isRequired: true,
    maxLength: 100,
    example: "abcd-efgh-ijkl-mnop",
  },
];
