import type { AccountAccess } from "#platforms/contract.ts";
import { accountAccess, job, type JobOverrides, SECRETS } from "../../support/adapter-inputs.ts";

/* Answers in the shape of Mastodon 4.6, from docs/platforms/facts. */

export const HOST = "mastodon.example";
export const ACCOUNT_ID = "109348684423156921";

export const EXTRA = {
  server: HOST,
  clientId: "client-id",
  clientSecret: SECRETS[2],
  clientName: "Almanac",
};

export const SCOPES = ["profile", "read:statuses", "write:statuses", "write:media"];

export const INSTANCE = {
  domain: HOST,
  title: "An example",
  version: "4.6.5",
  api_versions: { mastodon: 11 },
  configuration: {
    statuses: { max_characters: 500, max_media_attachments: 4, characters_reserved_per_url: 23 },
    media_attachments: {
      supported_mime_types: [
        "image/jpeg",
        "image/png",
        "image/gif",
        "image/heic",
        "image/webp",
        "video/mp4",
        "audio/mpeg",
      ],
      image_size_limit: 16_777_216,
      image_matrix_limit: 33_177_600,
      video_size_limit: 103_809_024,
      video_matrix_limit: 8_294_400,
      video_frame_rate_limit: 120,
      description_limit: 10_000,
    },
  },
};

export const PROFILE = {
  id: ACCOUNT_ID,
  username: "ada",
  acct: "ada",
  display_name: "Ada",
  url: `https://${HOST}/@ada`,
  uri: `https://${HOST}/users/ada`,
  avatar: `https://files.${HOST}/ada.png`,
};

export const APP = {
  id: "563419",
  name: "Almanac",
  scopes: SCOPES,
  client_id: "client-id",
  client_secret: SECRETS[2],
  client_secret_expires_at: 0,
};

/** No `expires_in` and no `refresh_token`. */
export const TOKEN = {
  access_token: SECRETS[0],
  token_type: "Bearer",
  scope: SCOPES.join(" "),
  created_at: 1_893_499_200,
};

export function mastodonAccount(overrides: Partial<AccountAccess> = {}): AccountAccess {
  return accountAccess({
    platformAccountId: `${ACCOUNT_ID}@${HOST}`,
    username: `ada@${HOST}`,
    extra: EXTRA,
    ...overrides,
  });
}

export function mastodonJob(overrides: JobOverrides = {}) {
  return job({ account: mastodonAccount(), options: { visibility: "public" }, ...overrides });
}

/** A status as the author reads it. */
export function status(overrides: Record<string, unknown> = {}) {
  return {
    id: "115000000000000001",
    created_at: "2030-01-01T12:00:01.000Z",
    url: `https://${HOST}/@ada/115000000000000001`,
    uri: `https://${HOST}/users/ada/statuses/115000000000000001`,
    visibility: "public",
    content: "<p>Release notes are out</p>",
    application: { name: "Almanac", website: "https://a.example.com" },
    media_attachments: [],
    ...overrides,
  };
}
